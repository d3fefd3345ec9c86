/** Stopping `metona run` from outside: what is left on disk, at the provider and in the process table. */
import { execFile, spawn } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  jsonLines,
  makeCliPlace,
  nothingLeft,
  processesWith,
  readLog,
  runCli,
  startCli,
  type CliPlace,
  type RunningCli,
} from '#tests/helpers/cli.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'

let provider: FakeProvider
let place: CliPlace

beforeAll(async () => {
  provider = await startFakeProvider()
})
afterAll(() => provider.stop())
beforeEach(async () => {
  await provider.reset()
  place = await makeCliPlace({ DEEPSEEK_API_KEY: 'sk-0123456789abcdef0123456789abcdef', DEEPSEEK_BASE_URL: provider.baseUrl })
})
afterEach(async () => {
  for (const { pid } of await processesWith(place.marker)) process.kill(pid, 'SIGKILL')
  await place.remove()
})

const start = (...args: string[]): Promise<RunningCli> =>
  startCli(place, ['run', '-w', place.workspace, '-m', 'deepseek/deepseek-flash', '--trust', ...args])

async function streaming(...args: string[]): Promise<RunningCli> {
  await provider.script([{ tokens: 5_000, tokensPerSecond: 50 }])
  const running = await start(...args)
  await provider.waitFor('streaming', 1)
  return running
}

describe.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s once', (signal) => {
  test('aborts, settles, exit 130: the turn has its end on disk, the socket is closed, nothing is left running', async () => {
    const running = await streaming('--json', 'go')
    running.kill(signal)
    const { code, stdout } = await running.done
    expect(code).toBe(130)
    const lines = jsonLines(stdout)
    expect(lines.find((line) => line['event'] === 'turn_end')).toMatchObject({ reason: 'aborted' })
    expect(lines.at(-1)).toMatchObject({ event: 'session_end' })
    expect(stdout).toBe(await readLog(place.workspace, String(lines[0]?.['sessionId'])))
    expect((await provider.requests())[0]).toMatchObject({ closedByClientAt: expect.any(Number), finished: false })
    await nothingLeft(place)
  })
})

test('before the turn has begun it ends as well', async () => {
  const running = await start('go')
  running.kill('SIGINT')
  const { code, signal } = await running.done
  // So early that Node has not yet taken the signal over, it ends as any program does.
  expect(code === 130 || signal === 'SIGINT').toBe(true)
  await nothingLeft(place)
})

test('Ctrl+C twice ends at once, however long settling would take', async () => {
  await provider.script([{ toolCalls: [{ name: 'run_command', args: { command: "trap '' TERM INT; sleep 600" } }] }])
  const running = await start('--permission', 'full_access', '--sandbox', 'off', '--json', 'go')
  await running.printed('"event":"tool_call"')
  running.kill('SIGINT')
  await running.printed('stopping', 'stderr')
  running.kill('SIGINT')
  const { code } = await running.done
  expect(code).toBe(130)
  await nothingLeft(place)
})

test('Ctrl+C during a command ends the command with all it started', async () => {
  await provider.script([
    { toolCalls: [{ name: 'run_command', args: { command: `sleep 600 & (sleep 601 & sleep 602) & echo ${'started'}; sleep 603` } }] },
    { text: 'never' },
  ])
  const running = await start('--permission', 'full_access', '--sandbox', 'off', '--json', '--deltas', 'go')
  await running.printed('"event":"tool_call"')
  await eventually(
    'the sleeps',
    async () => (await processesWith(place.marker)).filter(({ command }) => command.startsWith('sleep 60')).length === 4,
  )
  running.kill('SIGINT')
  const { code, stdout } = await running.done
  expect(code).toBe(130)
  expect(jsonLines(stdout).find((line) => line['event'] === 'tool_result')).toMatchObject({
    tool: 'run_command',
    outcome: 'aborted',
    success: false,
  })
  await nothingLeft(place)
})

test('a process group gets Ctrl+C as a terminal sends it, to everybody at once', async () => {
  await provider.script([{ toolCalls: [{ name: 'run_command', args: { command: 'sleep 600' } }] }])
  const entry = path.resolve(
    import.meta.dirname,
    '..',
    '..',
    'main',
    'cli',
    process.env['METONA_TEST_CLI'] === 'sources' ? 'entry.ts' : 'metona.cjs',
  )
  const child = spawn(
    process.execPath,
    [
      entry,
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
      'go',
    ],
    { env: place.environment, detached: true, stdio: ['ignore', 'pipe', 'ignore'] },
  )
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  await eventually('the command to run', async () =>
    (await processesWith(place.marker)).some(({ command }) => command.startsWith('sleep 600')),
  )
  process.kill(-(child.pid ?? 0), 'SIGINT')
  expect(await ended).toBe(130)
  expect(jsonLines(stdout).find((line) => line['event'] === 'turn_end')).toMatchObject({ reason: 'aborted' })
  await nothingLeft(place)
})

describe('a reader that goes away', () => {
  test('| head -1: ends quietly with 0, the turn is stopped and settled', async () => {
    await provider.script([{ tokens: 5_000, tokensPerSecond: 200 }])
    const entry = path.resolve(
      import.meta.dirname,
      '..',
      '..',
      'main',
      'cli',
      process.env['METONA_TEST_CLI'] === 'sources' ? 'entry.ts' : 'metona.cjs',
    )
    const pipeline = '"$@" | head -1; echo "exit ${PIPESTATUS[0]}"'
    const { stdout, stderr } = await promisify(execFile)(
      'bash',
      [
        '-c',
        pipeline,
        'bash',
        process.execPath,
        entry,
        'run',
        '-w',
        place.workspace,
        '-m',
        'deepseek/deepseek-flash',
        '--trust',
        '--json',
        '--deltas',
        'go',
      ],
      { env: place.environment },
    )
    const lines = stdout.trimEnd().split('\n')
    expect(lines.map((line, index) => (index === 0 ? (JSON.parse(line) as { event: string }).event : line))).toEqual([
      'session_start',
      'exit 0',
    ])
    expect(stderr).not.toMatch(/stopped|metona:/)
    await nothingLeft(place)
    const verify = await runCli(place, ['doctor', '--verify', '-w', place.workspace])
    expect(verify.code).toBe(0)
  })
})

test('a slow reader gets every line, and Ctrl+C still works while it does not read', async () => {
  const running = await streaming('--json', '--deltas', 'go')
  running.child.stdout?.pause()
  await eventually('the pipe to be full of what nobody reads', async () => ((await provider.requests())[0]?.tokensSent ?? 0) > 300)
  running.kill('SIGINT')
  await running.printed('stopping', 'stderr')
  running.child.stdout?.resume()
  const { code, stdout } = await running.done
  expect(code).toBe(130)
  const durable = jsonLines(stdout).filter((line) => typeof line['event'] === 'string')
  expect(durable.map((line) => line['seq'])).toEqual(durable.map((_, index) => index))
  expect(durable.at(-1)).toMatchObject({ event: 'session_end' })
})
