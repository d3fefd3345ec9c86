/** Time that stands still or jumps: a stopped process, a connection that died meanwhile, a wall clock set by hours. */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { builtBundles } from '#tests/helpers/built-bundles.ts'
import { jsonLines, makeCliPlace, processesWith, runCli, startCli, type CliPlace } from '#tests/helpers/cli.ts'
import { endProcesses } from '#tests/helpers/end-processes.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'
import { proof } from '#tests/helpers/proof.ts'
import { observe, type RunObserver } from '#tests/helpers/run-observer.ts'
import type { SeveralSessionsOptions } from '#tests/helpers/several-sessions-app.ts'
import { differencesTo, parseStored, readEvidence, type StoredEvent } from '#tests/helpers/stored-evidence.ts'
import { describeWith } from './needs.ts'

/** Longer than every deadline that could take it for a death: 60 s is beyond the product's own, 6 s beyond those given here. */
const FREEZE_MS = proof(60_000, 6_000)
const HEARTBEAT = proof(undefined, { intervalMs: 200, missLimit: 12 })

let provider: FakeProvider
let bundles: string
let place: CliPlace

beforeAll(async () => {
  bundles = await builtBundles()
  provider = await startFakeProvider()
}, 300_000)
afterAll(() => provider.stop())
beforeEach(async () => {
  await provider.reset()
  place = await makeCliPlace({ DEEPSEEK_API_KEY: 'sk-0123456789abcdef0123456789abcdef', DEEPSEEK_BASE_URL: provider.baseUrl })
})
afterEach(async () => {
  await endProcesses(place.marker)
  await place.remove()
})

/** Stops every process of the app, as a machine that sleeps stops all of them. */
async function freeze(milliseconds: number): Promise<void> {
  const frozen = await processesWith(place.marker)
  for (const { pid } of frozen) process.kill(pid, 'SIGSTOP')
  await wait(milliseconds)
  for (const { pid } of frozen) process.kill(pid, 'SIGCONT')
}

function several(options: Pick<SeveralSessionsOptions, 'prompts'>): { child: ChildProcess; observer: RunObserver } {
  const all: SeveralSessionsOptions = {
    workspace: place.workspace,
    profile: place.profile,
    bundles,
    settings: { model: 'deepseek/deepseek-flash', permission: 'full_access', sandbox: 'off' },
    ...(HEARTBEAT === undefined ? {} : { heartbeat: HEARTBEAT }),
    ...options,
  }
  const child = spawn(process.execPath, [path.join(import.meta.dirname, '..', 'helpers', 'several-sessions-app.ts'), JSON.stringify(all)], {
    cwd: place.folder,
    env: place.environment,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return { child, observer: observe(child) }
}

describe('a process that stands still for a while', () => {
  test('goes on as if nothing had been: no false death, no false timeout, every token', { timeout: FREEZE_MS + 120_000 }, async () => {
    await provider.script([
      { marker: 'streaming', answers: [{ tokens: 120, tokensPerSecond: 40, tokenPrefix: 's' }] },
      {
        marker: 'calling',
        answers: [
          {
            toolCalls: [
              {
                name: 'run_command',
                args: {
                  command: 'for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 0.1; done; echo over',
                  timeout_ms: 5_000,
                },
              },
            ],
          },
          { text: 'done' },
        ],
      },
    ])
    const { child, observer } = several({ prompts: ['streaming', 'calling'] })
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
    const exits: string[] = []
    observer.onLine((line) => {
      if (line.includes('"workerExit"')) exits.push(line)
    })
    await eventually('both at work', () => observer.texts.size > 0 && observer.events.some((line) => line.includes('"tool_call"')))
    await freeze(FREEZE_MS)
    const awakeAt = performance.now()
    await closed
    const events = observer.events.map(parseStored)
    expect(exits).toEqual([])
    expect(events.flatMap((event) => (event.event === 'turn_end' ? [event['reason']] : []))).toEqual(['completed', 'completed'])
    expect(events.find((event) => event.event === 'tool_result')).toMatchObject({ success: true, outcome: 'ok' })
    expect(events.some((event) => event['content'] === Array.from({ length: 120 }, (_, index) => `s${index} `).join(''))).toBe(true)
    // What is left to do takes a few seconds; nothing waits for a deadline first.
    expect(performance.now() - awakeAt).toBeLessThan(proof(10_000, 30_000))
    expect(child.exitCode).toBe(0)
    expect(differencesTo(observer.events, await readEvidence(place.workspace))).toEqual([])
  })

  test(
    'whose connection died meanwhile says so at once, keeps the text, and the next message works',
    { timeout: FREEZE_MS + 120_000 },
    async () => {
      await provider.script([{ answers: [{ tokens: 400, tokensPerSecond: 40, cutAtByte: 40_000 }, { text: 'all is well' }] }])
      const running = await startCli(
        place,
        ['run', '-w', place.workspace, '--trust', '--json', '--deltas', '-m', 'deepseek/deepseek-flash', 'go'],
        { deadlineMs: FREEZE_MS + 100_000 },
      )
      const observer = observe(running.child)
      await eventually('the stream', () => observer.texts.size > 0)
      await freeze(FREEZE_MS)
      const awakeAt = performance.now()
      const { code } = await running.done
      expect(performance.now() - awakeAt).toBeLessThan(proof(10_000, 40_000))
      expect(code).toBe(1)
      const response = observer.events.map(parseStored).find((event) => event.event === 'llm_response')
      expect(response).toMatchObject({ finishReason: 'error', error: { code: 'network_error', retryable: true } })
      expect(String(response?.['content']).length).toBeGreaterThan(100)
      const again = await runCli(place, [
        'run',
        '-w',
        place.workspace,
        '--trust',
        '--json',
        '--session',
        String(response?.sessionId),
        '-m',
        'deepseek/deepseek-flash',
        'again',
      ])
      expect(again.code).toBe(0)
    },
  )
})

const LIBRARY = ['x86_64-linux-gnu', 'aarch64-linux-gnu']
  .map((name) => `/usr/lib/${name}/faketime/libfaketime.so.1`)
  .find((file) => existsSync(file))

describeWith(LIBRARY !== undefined, "Debian's faketime", true, 'a wall clock that jumps', () => {
  const HOUR_MS = 3_600_000
  const offsetFile = (): string => path.join(place.folder, 'clock')
  const setClock = (offset: string): Promise<void> => writeFile(offsetFile(), `${offset}\n`)
  const timesOf = (events: readonly StoredEvent[]): number[] => events.map((event) => Date.parse(event.ts))
  const durationsOf = (events: readonly StoredEvent[]): number[] =>
    events.flatMap((event) =>
      ['durationMs', 'firstTokenMs', 'queuedMs', 'totalDurationMs'].flatMap((name) =>
        typeof event[name] === 'number' ? [event[name]] : [],
      ),
    )

  test(
    'two hours on and three hours back: order by number, durations of the steady clock, no false timeout',
    { timeout: 120_000 },
    async () => {
      const environment = {
        LD_PRELOAD: LIBRARY,
        FAKETIME_TIMESTAMP_FILE: offsetFile(),
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        DONT_FAKE_MONOTONIC: '1',
      }
      const begin = ['run', '-w', place.workspace, '--trust', '--json', '--timeout', '100', '-m', 'deepseek/deepseek-flash']
      await setClock('+0')
      await provider.script([
        {
          answers: [
            { tokens: 60, tokensPerSecond: 30, toolCalls: [{ name: 'list_directory', args: { path: '.' } }] },
            { tokens: 60, tokensPerSecond: 30 },
            { text: 'later, which is earlier' },
          ],
        },
      ])
      const running = await startCli(place, [...begin, '--deltas', 'go'], { environment })
      await running.printed('text_delta')
      await setClock('+2h')
      await running.printed('"event":"tool_result"')
      await setClock('-1h')
      const first = await running.done
      expect(first.code).toBe(0)
      const events = jsonLines(first.stdout).filter((line) => 'seq' in line) as unknown as StoredEvent[]
      const sessionId = String(events[0]?.sessionId)
      await setClock('-3h')
      const second = await runCli(place, [...begin, '--session', sessionId, 'again'], { environment })
      expect(second.code).toBe(0)
      const all = [...events, ...(jsonLines(second.stdout) as unknown as StoredEvent[])]

      // The clock did jump, both ways; without that nothing is shown here.
      const steps = timesOf(all)
        .slice(1)
        .map((time, index) => time - (timesOf(all)[index] ?? 0))
      expect(Math.max(...steps)).toBeGreaterThan(HOUR_MS)
      expect(Math.min(...steps)).toBeLessThan(-HOUR_MS)
      expect(all.map((event) => event.seq)).toEqual(all.map((_, seq) => seq))
      expect(durationsOf(all).every((duration) => duration >= 0 && duration < 60_000)).toBe(true)
      expect(all.flatMap((event) => (event.event === 'turn_end' ? [event['reason']] : []))).toEqual(['completed', 'completed'])

      // Whoever reads it back gets the same order, whatever the clock says now.
      expect(
        differencesTo(
          all.map((event) => JSON.stringify(event)),
          await readEvidence(place.workspace),
        ),
      ).toEqual([])
      const shown = await runCli(place, ['sessions', 'show', sessionId, '-w', place.workspace, '--json'])
      expect(shown.code).toBe(0)
      expect((await runCli(place, ['doctor', '-w', place.workspace, '--verify'])).stdout).toMatch(/, 0 differences\n$/)
    },
  )
})
