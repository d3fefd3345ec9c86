/** SIGKILL at random moments: what was printed is on disk, database and logs agree, nothing goes on running. */
import { setTimeout as wait } from 'node:timers/promises'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  jsonLines,
  makeCliPlace,
  nothingLeft,
  processesWith,
  readLog,
  runCli,
  startCli,
  writeCsv,
  type CliPlace,
} from '#tests/helpers/cli.ts'
import { startFakeProvider, type FakeAnswer, type FakeProvider } from '#tests/helpers/fake-provider.ts'
import { seededRandom } from '#tests/helpers/random.ts'

const KILLS = 15
/** Start, three answers and three tools lie within this. */
const LATEST_MS = 3_500

let provider: FakeProvider
let place: CliPlace

beforeAll(async () => {
  provider = await startFakeProvider()
})
afterAll(() => provider.stop())
beforeEach(async () => {
  await provider.reset()
  place = await makeCliPlace({ DEEPSEEK_API_KEY: 'sk-0123456789abcdef0123456789abcdef', DEEPSEEK_BASE_URL: provider.baseUrl })
  await writeCsv(place)
})
afterEach(async () => {
  for (const { pid } of await processesWith(place.marker)) process.kill(pid, 'SIGKILL')
  await place.remove()
})

function answers(kill: number): FakeAnswer[] {
  return [
    {
      tokens: 30,
      tokensPerSecond: 100,
      thinking: 'thinking it over',
      toolCalls: [
        { name: 'read_file', args: { file_path: 'data.csv' } },
        { name: 'write_file', args: { file_path: `out-${kill}.txt`, content: 'x'.repeat(5_000) } },
      ],
    },
    {
      tokens: 30,
      tokensPerSecond: 100,
      toolCalls: [{ name: 'run_command', args: { command: `echo begin; sleep 0.7; (sleep 611 &) ; echo end` } }],
    },
    { tokens: 300, tokensPerSecond: 200 },
  ]
}

/** Whole lines only: the last one may have been cut by the kill. */
function wholeLines(stdout: string): string[] {
  return stdout.split('\n').slice(0, -1)
}

function rowsOf(sessionId: string): string[] {
  const database = new Database(path.join(place.workspace, '.metona', 'agent.db'), { readonly: true })
  try {
    return database
      .prepare<[string], { json: string }>('SELECT json FROM session_events WHERE session_id = ? ORDER BY seq')
      .all(sessionId)
      .map((row) => row.json)
  } finally {
    database.close()
  }
}

test(`${KILLS} kills: every line that run --json printed is in log and database, doctor --verify finds 0 differences, no process is left`, async () => {
  const random = seededRandom('kills of run')
  let killedInTurn = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const name = `kill ${kill} of ${KILLS}, seed ${random.seed}`
    await provider.script([{ marker: `job number ${kill};`, answers: answers(kill) }])
    const running = await startCli(place, [
      'run',
      '-w',
      place.workspace,
      '-m',
      'deepseek/deepseek-flash',
      '--trust',
      '--permission',
      'full_access',
      '--sandbox',
      'off',
      '--json',
      `job number ${kill};`,
    ])
    await wait(random.between(0, LATEST_MS))
    running.kill('SIGKILL')
    const { stdout } = await running.done
    await nothingLeft(place)

    const verify = await runCli(place, ['doctor', '--verify', '-w', place.workspace])
    // Killed before the folder was opened for the first time, there is nothing to verify.
    const began = stdout !== '' || kill > 0
    if (began || verify.code === 0)
      expect([name, verify.code, verify.stdout.trimEnd().split('\n').at(-1)]).toEqual([
        name,
        0,
        expect.stringMatching(/^verify: \d+ sessions, \d+ events, \d+ audit rows, 0 differences$/),
      ])

    const printed = wholeLines(stdout)
    if (printed.length === 0) continue
    const sessionId = String(jsonLines(printed[0] as string)[0]?.['sessionId'])
    const log = (await readLog(place.workspace, sessionId)).split('\n')
    expect([name, printed.filter((line, index) => log[index] !== line)]).toEqual([name, []])
    const rows = rowsOf(sessionId)
    expect([name, printed.filter((line, index) => rows[index] !== line)]).toEqual([name, []])
    if (!printed.some((line) => line.includes('"event":"turn_end"'))) killedInTurn += 1
  }
  // The moments were not all before or after the turn; otherwise nothing was proved.
  expect(killedInTurn).toBeGreaterThanOrEqual(3)
}, 600_000)

test('after a kill the session goes on: the turn is marked interrupted, the running tool unknown, and neither is run again', async () => {
  await provider.script([
    { marker: 'the long job', answers: [{ toolCalls: [{ name: 'run_command', args: { command: 'echo ran >> ran.txt; sleep 600' } }] }] },
    { marker: 'what happened', answers: [{ text: 'It was cut off.' }] },
  ])
  const running = await startCli(place, [
    'run',
    '-w',
    place.workspace,
    '-m',
    'deepseek/deepseek-flash',
    '--trust',
    '--permission',
    'full_access',
    '--sandbox',
    'off',
    '--json',
    'the long job',
  ])
  await running.printed('"event":"tool_call"')
  running.kill('SIGKILL')
  const { stdout } = await running.done
  await nothingLeft(place)
  const sessionId = String(jsonLines(stdout)[0]?.['sessionId'])
  const next = await runCli(place, [
    'run',
    '-w',
    place.workspace,
    '-m',
    'deepseek/deepseek-flash',
    '--trust',
    '--json',
    '--session',
    sessionId,
    'what happened',
  ])
  expect(next.code).toBe(0)
  const all = jsonLines(await readLog(place.workspace, sessionId))
  expect(all.find((line) => line['event'] === 'tool_result')).toMatchObject({ tool: 'run_command', outcome: 'unknown', success: false })
  expect(all.filter((line) => line['event'] === 'turn_end').map((line) => line['reason'])).toEqual(['interrupted', 'completed'])
  expect(all.filter((line) => line['event'] === 'tool_call').length).toBe(1)
  const request = (await provider.requests()).at(-1)?.body as { messages: { role: string }[] }
  expect(request.messages.filter((message) => message.role === 'tool').length).toBe(1)
})
