/** A command that writes without end in one session: the tokens of another come as evenly as without it. */
import { loadavg } from 'node:os'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeCliPlace, type CliPlace } from '#tests/helpers/cli.ts'
import { startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'
import { startPipeline, type Pipeline } from '#tests/helpers/pipeline.ts'
import { proof } from '#tests/helpers/proof.ts'
import { gapsBeside, TOKENS_PER_SECOND } from '#tests/helpers/token-gaps.ts'

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
    alone.push(...(await gapsBeside({ provider, place, pipeline }, SECONDS, () => Promise.resolve())))
    beside.push(...(await gapsBeside({ provider, place, pipeline }, SECONDS, flood)))
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
  const gaps = await gapsBeside({ provider, place, pipeline }, SECONDS, async () => {
    await new Promise((resolve) => setTimeout(resolve, 1000))
    for (const end = performance.now() + 400; performance.now() < end;);
  })
  expect(percentile(gaps, 1)).toBeGreaterThan(350)
})
