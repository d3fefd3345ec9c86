/** The whole app with servers that misbehave: it stays usable, and nothing of them is left when a folder is closed. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeCliPlace } from '#tests/helpers/cli.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { startMcpPipeline, type McpPipeline } from '#tests/helpers/mcp/mcp-pipeline.ts'
import { startPipeline } from '#tests/helpers/pipeline.ts'
import { proof } from '#tests/helpers/proof.ts'
import { livingProcesses } from '../main/command-host/living-processes.ts'

const SERVER = path.resolve(import.meta.dirname, '../helpers/mcp/hostile-stdio-server-entry.ts')
const HOSTILE = [
  'silent',
  'garbage-only',
  'stderr-flood',
  'notification-flood',
  'huge-initialize',
  'crash-loop',
  'exit-at-once',
  'no-line-end',
]
/** Milliseconds in which the app must answer, whatever its servers do. */
const USABLE_MS = proof(3_000, 6_000)
const CYCLES = proof(20, 6)

let app: McpPipeline
beforeAll(async () => {
  app = await startMcpPipeline()
}, 60_000)
afterAll(() => app.stop(), 30_000)

const server = (behaviour: string) => ({
  name: behaviour,
  command: process.execPath,
  args: ['--disable-warning=ExperimentalWarning', SERVER, behaviour, app.place.folder],
})
/** Servers name the place's folder in their arguments; the app's own processes do not name the fixture. */
const servers = (): number[] =>
  livingProcesses('hostile-stdio-server-entry').filter((pid) => livingProcesses(app.place.folder).includes(pid))

test(`${CYCLES} times opened and closed: no process is left`, { timeout: 300_000 }, async () => {
  const { client } = app.pipeline
  const { entry } = await app.approved(server('good'))
  const seen: number[] = []
  for (let cycle = 0; cycle < CYCLES; cycle += 1) {
    await client.call('workspace.open', { path: app.place.workspace, trust: 'once' })
    const { state, pid } = await client.call('mcp.test', { workspace: app.workspace, id: entry.id })
    if (state === 'ready' && pid !== undefined) seen.push(pid)
    await client.call('workspace.close', { workspace: app.workspace })
  }
  expect([new Set(seen).size, servers()]).toEqual([CYCLES, []])
  await app.pipeline.open()
})

test('eight hostile servers at once: a turn runs, and the page gets its answers', { timeout: 120_000 }, async () => {
  const { client } = app.pipeline
  const views = await Promise.all(HOSTILE.map((behaviour) => app.add(server(behaviour))))
  const approving = views.map(({ entry, launchHash }) =>
    // Most never get ready; what they end in is looked at below.
    client.call('mcp.approve', { workspace: app.workspace, id: entry.id, launchHash }).catch(() => undefined),
  )
  await eventually('a server to be up', () => servers().length > 0)
  const startedAt = performance.now()
  const turn = await app.turn([{ name: 'list_directory', args: { path: '.' } }])
  await client.call('session.list', { workspace: app.workspace })
  await client.call('mcp.list', { workspace: app.workspace })
  const took = performance.now() - startedAt
  expect([turn.end, took < USABLE_MS]).toEqual(['completed', true])
  await client.call('workspace.close', { workspace: app.workspace })
  await Promise.all(approving)
  await eventually('all servers to be gone', () => servers().length === 0)
})

test('what a run left that was killed whole is gone soon after the next start', { timeout: 60_000 }, async () => {
  const mark = randomBytes(16).toString('hex')
  const left = spawn('/bin/sleep', ['600'], { stdio: 'ignore', env: { METONA_HOST: mark } })
  const gone = new Promise((resolve) => left.once('exit', (_code, signal) => resolve(signal)))
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
  const place = await makeCliPlace({})
  const records = path.join(place.profile, 'command-hosts')
  await mkdir(records, { recursive: true })
  // Its command host had the id of a process that is no command host now.
  await writeFile(path.join(records, 'a.json'), JSON.stringify({ marker: `METONA_HOST=${mark}`, boot, pid: process.pid, startedAt: 1 }))
  const next = startPipeline(place)
  try {
    expect([await gone, await eventually('the record to be gone', async () => (await readdir(records)).length === 0)]).toEqual([
      'SIGKILL',
      true,
    ])
  } finally {
    await next.stop()
    left.kill('SIGKILL')
    await place.remove()
  }
})

test('an app that is killed leaves no server behind', { timeout: 60_000 }, async () => {
  await app.pipeline.open()
  const { entry } = await app.view('good')
  await app.pipeline.client.call('mcp.test', { workspace: app.workspace, id: entry.id })
  expect(servers()).toHaveLength(1)
  await app.pipeline.kill('tools')
  await eventually('its server to be gone', () => servers().length === 0)
})
