// needs: bwrap
/** Commands that would take the machine, in the sandbox, in one session: the tokens of another come as evenly as without. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeCliPlace, type CliPlace } from '#tests/helpers/cli.ts'
import { startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'
import { missingProgram } from '#tests/helpers/missing-program.ts'
import { startPipeline, type Pipeline } from '#tests/helpers/pipeline.ts'
import { proof } from '#tests/helpers/proof.ts'
import { judgeHogs, type Stretch } from '#tests/helpers/judge-hogs.ts'
import { gapsBeside, TOKENS_PER_SECOND } from '#tests/helpers/token-gaps.ts'
import { QUIET_CORES } from '../bench/bench-row.ts'
import { busySeconds, cpuOf, quantile } from '../bench/measure.ts'
import { livingProcesses } from '../main/command-host/living-processes.ts'

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

/** @param mark in the environment of all it starts. */
async function hog(command: string, mark: string): Promise<void> {
  const session = await pipeline.session({ model: 'deepseek/deepseek-flash', permission: 'full_access', sandbox: 'auto' })
  const marked = `export HOG_MARK=${mark}; cat /proc/self/environ | tr '\\0' '\\n' | grep -qx "HOG_MARK=$HOG_MARK" || exit 98`
  const line = `[ "$(hostname)" = sandbox ] || exit 99; ${marked}; ${command}`
  await provider.script([{ toolCalls: [{ name: 'run_command', args: { command: line } }] }, { text: 'done' }])
  await session.prompt('take everything')
  await session.ended(1)
  const result = session.events.find((event) => event.event === 'tool_result')
  // Otherwise nothing was beside it, or it was not in the sandbox.
  expect(result?.event === 'tool_result' && result.durationMs).toBeGreaterThan(300)
  expect([98, 99]).not.toContain(result?.event === 'tool_result' && result.display?.['exitCode'])
}

test.each(chosen)(
  '%s in one session: p99 between two tokens of another is at most twice the undisturbed one',
  { timeout: 300_000 },
  async (name, command) => {
    /** Before the first hog, between two, after the last. */
    const alone: Stretch[] = []
    const beside: number[][] = []
    const undisturbed = async (): Promise<void> => {
      const own = (): Promise<number> => cpuOf([process.pid, provider.pid])
      const [startedAt, busy, used] = [performance.now(), await busySeconds(), await own()]
      const gaps = await gapsBeside({ provider, place, pipeline }, SECONDS, () => Promise.resolve())
      const foreign = (await busySeconds()) - busy - ((await own()) - used)
      alone.push({ gaps, foreignCores: foreign / ((performance.now() - startedAt) / 1000) })
    }
    await undisturbed()
    for (let round = 0; round < ROUNDS; round++) {
      const mark = `hog_${process.pid}_${Math.trunc(performance.now())}`
      beside.push(await gapsBeside({ provider, place, pipeline }, SECONDS, () => hog(command, mark)))
      // What it left would otherwise be taken for load from elsewhere.
      expect(livingProcesses(mark)).toEqual([])
      await undisturbed()
    }
    const verdicts = judgeHogs(alone, beside, QUIET_CORES)
    const judged = verdicts.filter((verdict) => verdict.judged)
    const p99 = (each: readonly (readonly number[])[]): string => each.map((gaps) => quantile(gaps, 0.99).toFixed(1)).join(', ')
    const others = Math.max(...alone.map(({ foreignCores }) => foreignCores))
    process.stderr.write(
      `tokens beside ${name}: p99 ${p99(beside)} ms, undisturbed ${p99(alone.map(({ gaps }) => gaps))} ms, ratio ${verdicts.map(({ ratio }) => ratio.toFixed(2)).join(', ')}, others used ${others.toFixed(2)} core${judged.length === verdicts.length ? '' : `: ${verdicts.length - judged.length} not judged`}\n`,
    )
    for (const { gaps } of alone) expect(gaps.length).toBeGreaterThan((SECONDS * TOKENS_PER_SECOND) / 8)
    for (const { ratio } of judged) expect(ratio).toBeLessThanOrEqual(2)
  },
)
