// needs: bwrap
/** Commands that would take the machine, in the sandbox, in one session: the tokens of another come as evenly as without. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeCliPlace, type CliPlace } from '#tests/helpers/cli.ts'
import { startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'
import { missingProgram } from '#tests/helpers/missing-program.ts'
import { startPipeline, type Pipeline } from '#tests/helpers/pipeline.ts'
import { proof } from '#tests/helpers/proof.ts'
import { gapsBeside, TOKENS_PER_SECOND } from '#tests/helpers/token-gaps.ts'
import { QUIET_CORES } from '../bench/bench-row.ts'
import { busySeconds, cpuOf, quantile } from '../bench/measure.ts'

const without = missingProgram('bwrap', 'greedy commands in the sandbox')
const SECONDS = proof(10, 2)
/** Hogs between undisturbed stretches, so that what else the machine does falls on both. */
const ROUNDS = proof(3, 1)
const GIGABYTES = proof(4, 1)
const FORKS = proof(9, 8)

/** Each ends by itself, whatever holds it or does not. */
const HOGS = {
  memory: `timeout ${SECONDS} python3 -c "
hoard = [bytearray(50_000_000) for _ in range(${GIGABYTES * 20})]
while True: hoard.append(hoard.pop())"`,
  'a fork bomb': `bomb() { if [ $1 -gt 0 ]; then bomb $(($1-1)) & bomb $(($1-1)) & fi; exec sleep ${SECONDS}; }; (bomb ${FORKS}) & wait`,
  'four gigabytes of output': `timeout ${SECONDS} yes | head -c 4000000000`,
  'a line of 300 MB': `for round in 1 2 3; do head -c 300000000 /dev/zero | tr '\\0' x; done`,
  'a gzip bomb': `head -c 150000000 /dev/zero | gzip -1 > /tmp/bomb.gz; timeout ${SECONDS} sh -c 'while zcat /tmp/bomb.gz; do :; done'`,
}
const chosen = without ? [] : Object.entries(HOGS).slice(0, proof(5, 2))

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

async function hog(command: string): Promise<void> {
  const session = await pipeline.session({ model: 'deepseek/deepseek-flash', permission: 'full_access', sandbox: 'auto' })
  const line = `[ "$(hostname)" = sandbox ] || exit 99; ${command}`
  await provider.script([{ toolCalls: [{ name: 'run_command', args: { command: line } }] }, { text: 'done' }])
  await session.prompt('take everything')
  await session.ended(1)
  const result = session.events.find((event) => event.event === 'tool_result')
  // Otherwise nothing was beside it, or it was not in the sandbox.
  expect(result?.event === 'tool_result' && result.durationMs).toBeGreaterThan(300)
  expect(result?.event === 'tool_result' && result.display?.['exitCode']).not.toBe(99)
}

test.each(chosen)(
  '%s in one session: p99 between two tokens of another is at most twice the undisturbed one',
  { timeout: 300_000 },
  async (name, command) => {
    /** One stretch each: before the first hog, between two, after the last. */
    const alone: number[][] = []
    const beside: number[] = []
    let foreign = 0
    const undisturbed = async (): Promise<void> => {
      const own = (): Promise<number> => cpuOf([process.pid, provider.pid])
      const [startedAt, busy, used] = [performance.now(), await busySeconds(), await own()]
      alone.push(await gapsBeside({ provider, place, pipeline }, SECONDS, () => Promise.resolve()))
      foreign = Math.max(foreign, ((await busySeconds()) - busy - ((await own()) - used)) / ((performance.now() - startedAt) / 1000))
    }
    await undisturbed()
    for (let round = 0; round < ROUNDS; round++) {
      beside.push(...(await gapsBeside({ provider, place, pipeline }, SECONDS, () => hog(command))))
      await undisturbed()
    }
    // Load from elsewhere that starts beside a hog goes on into the stretch after it: the worst stretch is what the machine gives.
    const each = alone.map((gaps) => quantile(gaps, 0.99))
    const [calm, disturbed] = [Math.max(...each), quantile(beside, 0.99)]
    const quiet = foreign < QUIET_CORES
    process.stderr.write(
      `tokens beside ${name}: p99 ${disturbed.toFixed(1)} ms, undisturbed ${each.map((gap) => gap.toFixed(1)).join(', ')} ms, others used ${foreign.toFixed(2)} core${quiet ? '' : ': no gate'}\n`,
    )
    for (const gaps of alone) expect(gaps.length).toBeGreaterThan((SECONDS * TOKENS_PER_SECOND) / 8)
    if (quiet) expect(disturbed / calm).toBeLessThanOrEqual(2)
  },
)
