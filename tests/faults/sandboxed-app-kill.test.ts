// needs: bwrap
/** SIGKILL of the app itself, as `metona run` and as the host of the browser shell, while a sandboxed command tries to stay behind. */
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { Port } from '#contracts/wire/port.ts'
import { createClient } from '#main/cli/client.ts'
import { webSocketPort } from '#main/web/web-socket-port.ts'
import { makeCliPlace, processesWith, runCli, startCli, type CliPlace, type RunningCli } from '#tests/helpers/cli.ts'
import { endProcesses } from '#tests/helpers/end-processes.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'
import { missingProgram } from '#tests/helpers/missing-program.ts'
import { proof } from '#tests/helpers/proof.ts'
import { folderState } from '../workers/tools/sandbox/folder-state.ts'

const without = missingProgram('bwrap', 'kills of the app while it runs a sandboxed command')
const ROUNDS = without ? {} : { 'metona run': proof(50, 6), 'metona serve': proof(50, 4) }
/** On a machine with nothing else to do; a loaded one may take its time in the small tier. */
const LIMIT_MS = proof(2_000, 6_000)
/** Ways to stay behind, all at once; inside a sandbox of its own `sleep` has this argument and no other process here. */
const COMMAND = `setsid sleep 6011 & nohup sleep 6011 >/dev/null 2>&1 & (trap '' TERM; while :; do sleep 0.2; done) & perl -e 'fork and exit; sleep 6011' & sleep 6011`

let provider: FakeProvider
let place: CliPlace
beforeAll(async () => {
  provider = await startFakeProvider()
})
afterAll(() => provider.stop())
beforeEach(async () => {
  place = await makeCliPlace({ DEEPSEEK_API_KEY: 'sk-0123456789abcdef0123456789abcdef', DEEPSEEK_BASE_URL: provider.baseUrl })
  for (const args of [
    ['trust', place.workspace],
    ['config', 'set', '--profile', 'security.permission', 'auto_edit'],
    ['config', 'set', '--profile', 'llm.model', 'deepseek/deepseek-flash'],
  ])
    expect((await runCli(place, args)).code).toBe(0)
})
afterEach(async () => {
  await endProcesses(place.marker)
  await place.remove()
})

const asks = (command: string) => provider.script([{ toolCalls: [{ name: 'run_command', args: { command } }] }, { text: 'done' }])
/** What the app itself keeps there changes all the time. */
const state = (): Promise<string[]> => folderState(place.workspace, (path) => /^(\.metona|logs|traces)\//.test(path))
const inside = async (): Promise<number> =>
  (await processesWith(place.marker)).filter(({ command }) => /bwrap|sleep 6011|perl/.test(command)).length

/** A page reads the text of each frame itself. */
function asObjects(port: Port): Port {
  return {
    ...port,
    addEventListener: (type, listener) =>
      port.addEventListener(type, ({ data }) => listener({ data: typeof data === 'string' ? JSON.parse(data) : data })),
  }
}

const start: Readonly<Record<string, () => Promise<RunningCli>>> = {
  'metona run': () => startCli(place, ['run', '-w', place.workspace, 'go']),
  'metona serve': async () => {
    const running = await startCli(place, ['serve', '--no-open'])
    await running.printed('\n')
    const url = new URL(running.output.stdout.split('\n', 1)[0] ?? '')
    const answer = await fetch(url, { redirect: 'manual' })
    const cookie = String(answer.headers.get('set-cookie')).split(';')[0] ?? ''
    const key = String(answer.headers.get('location')).replace('/#key=', '')
    const socket = new WebSocket(`ws://${url.host}/port`, ['metona', key], { headers: { cookie, origin: url.origin } })
    await once(socket, 'open')
    const client = createClient(asObjects(webSocketPort(socket)))
    const { workspace } = await client.call('workspace.open', { path: place.workspace, mode: 'write', trust: 'stored', waitMs: 10_000 })
    const { sessionId } = await client.call('session.create', { workspace, interactive: false })
    await client.call('session.prompt', { sessionId, messageId: 'm_aaaaaaaaaaaaaaaaaaaa', content: 'go', whenBusy: 'queue' })
    return running
  },
}

test.each(Object.entries(ROUNDS))(
  'SIGKILL of %s, %i times: nothing of the sandbox is left, and nothing in the folder',
  async (victim, rounds) => {
    await provider.reset()
    await asks('true')
    expect((await runCli(place, ['run', '-w', place.workspace, 'go'])).code).toBe(0)
    const before = await state()
    let slowest = 0
    for (let round = 0; round < rounds; round++) {
      await provider.reset()
      await asks(COMMAND)
      const app = await start[victim]?.()
      await eventually('the command is up', async () => (await inside()) >= 6, 60_000)
      // Protected names are held meanwhile: there is something to clear away.
      expect((await state()).length).toBeGreaterThan(before.length)
      app?.kill('SIGKILL')
      const killed = performance.now()
      await eventually('nothing of it is left', async () => (await processesWith(place.marker)).length === 0, 20_000)
      slowest = Math.max(slowest, performance.now() - killed)
      await eventually('the folder is as before', async () => JSON.stringify(await state()) === JSON.stringify(before), 20_000)
    }
    process.stdout.write(`${victim}: ${rounds} kills, slowest end ${Math.round(slowest)} ms\n`)
    expect(slowest).toBeLessThan(LIMIT_MS)
  },
  1_800_000,
)
