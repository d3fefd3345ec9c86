/** Several programs on one folder at the same time: one writes, the others wait for it or say who it is. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeCliPlace, runCli, startCli, type CliPlace, type CliResult } from '#tests/helpers/cli.ts'
import { endProcesses } from '#tests/helpers/end-processes.ts'
import { startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'
import { proof } from '#tests/helpers/proof.ts'
import { differencesTo, parseStored, readEvidence, unsettled } from '#tests/helpers/stored-evidence.ts'

const ROUNDS = proof(50, 10)
const AT_ONCE = 4

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
  await endProcesses(place.marker)
  await place.remove()
})

const command = (...more: string[]): string[] => [
  'run',
  '-w',
  place.workspace,
  '--trust',
  '--json',
  '-m',
  'deepseek/deepseek-flash',
  ...more,
]

interface Outcome extends CliResult {
  readonly pid: number
}

async function start(prompt: string): Promise<Outcome> {
  const running = await startCli(place, command(prompt), { deadlineMs: 120_000 })
  return { ...(await running.done), pid: running.child.pid ?? 0 }
}

/** Whoever was turned away was told by whom: one of the others, by its number. */
function turnedAway({ stderr, stdout }: Outcome, others: readonly Outcome[]): string | undefined {
  if (stdout !== '') return `it was turned away and printed ${stdout.slice(0, 80)}`
  return others.some(({ pid }) => new RegExp(`\\b${pid}\\b`).test(stderr)) ? undefined : `it does not name the holder: ${stderr}`
}

test(`${ROUNDS} times ${AT_ONCE} runs on one folder at once: one writer, nobody lost`, { timeout: ROUNDS * 60_000 }, async () => {
  await provider.script([
    {
      answers: [{ tokens: 20, tokensPerSecond: 100, toolCalls: [{ name: 'list_directory', args: { path: '.' } }] }, { text: 'done' }],
      repeatLast: true,
    },
  ])
  const seen: string[] = []
  const problems: string[] = []
  let finished = 0
  let refused = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const outcomes = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => start(`round ${round}, run ${index}`)))
    for (const outcome of outcomes) {
      if (outcome.code === 0) {
        finished += 1
        seen.push(...outcome.stdout.split('\n').filter((line) => line !== ''))
      } else if (outcome.code === 3) {
        refused += 1
        const problem = turnedAway(
          outcome,
          outcomes.filter((other) => other !== outcome),
        )
        if (problem !== undefined) problems.push(problem)
      } else problems.push(`exit ${outcome.code}: ${outcome.stderr}`)
    }
    if (!outcomes.some((outcome) => outcome.code === 0)) problems.push(`round ${round}: nobody got the folder`)
  }
  process.stdout.write(`instances: ${ROUNDS} rounds, ${finished} runs finished, ${refused} were turned away\n`)
  expect(problems).toEqual([])
  const evidence = await readEvidence(place.workspace)
  expect([...differencesTo(seen, evidence), ...[...evidence.log.values()].flatMap(unsettled)]).toEqual([])
  expect(evidence.log.size).toBe(finished)

  // One writer: no session begins before the one before it has ended.
  const spans = [...evidence.log.values()]
    .map((lines) => lines.map((line) => Date.parse(parseStored(line).ts)))
    .map((times) => ({ from: times[0] ?? 0, to: times.at(-1) ?? 0 }))
  spans.sort((left, right) => left.from - right.from)
  const overlaps = spans.filter((span, index) => index > 0 && span.from < (spans[index - 1]?.to ?? 0))
  expect(overlaps).toEqual([])
  expect((await runCli(place, ['doctor', '-w', place.workspace, '--verify'])).stdout).toMatch(/, 0 differences\n$/)
})

test('a folder that stays in use is refused after 10 s with the number of the process that has it', { timeout: 120_000 }, async () => {
  await provider.script([{ answers: [{ tokens: 2_000, tokensPerSecond: 50 }] }])
  const holder = await startCli(place, command('--deltas', 'hold it'), { deadlineMs: 110_000 })
  await holder.printed('text_delta')
  const since = performance.now()
  const second = await start('me too')
  expect(second.code).toBe(3)
  expect(performance.now() - since).toBeGreaterThan(9_900)
  expect(second.stderr).toContain(String(holder.child.pid))
  expect(second.stdout).toBe('')
  // Looking needs no lock.
  expect((await runCli(place, ['sessions', 'list', '-w', place.workspace])).code).toBe(0)
  holder.kill('SIGINT')
  expect((await holder.done).code).toBe(130)
})
