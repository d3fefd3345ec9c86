/** A command that writes without end in one session: the tokens of another come as evenly as without it. */
import { loadavg } from 'node:os'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createClient } from '#main/cli/client.ts'
import { followSession } from '#main/cli/follow-session.ts'
import { makeCliPlace, type CliPlace } from '#tests/helpers/cli.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'
import { startPipeline, type Pipeline } from '#tests/helpers/pipeline.ts'
import { proof } from '#tests/helpers/proof.ts'

const TOKENS_PER_SECOND = 100
const SECONDS = proof(10, 2)
/** Undisturbed and disturbed take turns, so that what else the machine does falls on both. */
const ROUNDS = proof(3, 1)

let provider: FakeProvider
let place: CliPlace
let pipeline: Pipeline
beforeAll(async () => {
  provider = await startFakeProvider()
})
afterAll(() => provider.stop())
beforeEach(async () => {
  await provider.reset()
  place = await makeCliPlace({ DEEPSEEK_API_KEY: 'sk-0123456789abcdef0123456789abcdef', DEEPSEEK_BASE_URL: provider.baseUrl })
  pipeline = startPipeline(place)
  await pipeline.open()
})
afterEach(async () => {
  await pipeline.stop()
  await place.remove()
})

/** Milliseconds between two arrivals of text at a client, while `beside` goes on. */
async function gapsBeside(beside: () => Promise<unknown>): Promise<number[]> {
  await provider.script([{ tokens: SECONDS * TOKENS_PER_SECOND, tokensPerSecond: TOKENS_PER_SECOND }])
  const session = await pipeline.session({ model: 'deepseek/deepseek-flash' })
  const times: number[] = []
  const reader = followSession(createClient(pipeline.host.connect()), {
    workspace: place.workspace,
    sessionId: session.sessionId,
    fromSeq: 0,
    onEvent: () => undefined,
    onDelta: (delta) => void (delta.delta === 'stream' && times.push(performance.now())),
    onSnapshot: () => undefined,
    onFailure: () => undefined,
  })
  await reader.subscribe()
  await session.prompt('count')
  // The stand-in for a provider gives its answers in the order of the requests.
  await eventually('the first token', () => times.length > 0)
  await Promise.all([beside(), session.ended(1)])
  return times.slice(1).map((time, index) => time - (times[index] as number))
}

async function flood(): Promise<void> {
  const session = await pipeline.session({ model: 'deepseek/deepseek-flash', permission: 'full_access' })
  await provider.script([{ toolCalls: [{ name: 'run_command', args: { command: `timeout ${SECONDS} yes` } }] }, { text: 'done' }])
  await session.prompt('flood')
  await session.ended(1)
  const result = session.events.find((event) => event.event === 'tool_result')
  const bytes = result?.event === 'tool_result' ? Number(result.display?.['bytes']) : 0
  // Otherwise nothing was beside it.
  expect(bytes).toBeGreaterThan(1024 * 1024)
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((left, right) => left - right)[Math.ceil(values.length * share) - 1] ?? 0
}

test('`yes` in one session: p99 between two tokens of another is at most twice the undisturbed one', { timeout: 300_000 }, async () => {
  const alone: number[] = []
  const beside: number[] = []
  const load = loadavg()[0] ?? 0
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(...(await gapsBeside(() => Promise.resolve())))
    beside.push(...(await gapsBeside(flood)))
  }
  const [undisturbed, disturbed] = [percentile(alone, 0.99), percentile(beside, 0.99)]
  const quiet = load < 1 && undisturbed < 40
  process.stderr.write(
    `tokens beside yes: p99 ${disturbed.toFixed(1)} ms, undisturbed ${undisturbed.toFixed(1)} ms, ${alone.length}/${beside.length} gaps${quiet ? '' : ', machine not quiet: no gate'}\n`,
  )
  expect(alone.length).toBeGreaterThan((SECONDS * TOKENS_PER_SECOND * ROUNDS) / 8)
  if (quiet) expect(disturbed / undisturbed).toBeLessThanOrEqual(2)
})

test('control: a thread on the way that is held up is seen', { timeout: 60_000 }, async () => {
  const gaps = await gapsBeside(async () => {
    await new Promise((resolve) => setTimeout(resolve, 1000))
    for (const end = performance.now() + 400; performance.now() < end;);
  })
  expect(percentile(gaps, 1)).toBeGreaterThan(350)
})
