/** From the provider's token to the page, and the same, with the loop delays, beside heavy tools. */
import path from 'node:path'
import { chromiumMissing } from '#tests/helpers/chromium.ts'
import { startFakeProvider } from '#tests/helpers/fake-provider.ts'
import type { BenchContext, BenchRow, Figure } from '../bench-row.ts'
import { disturbance, makeDisturbance } from '../disturbance.ts'
import { median, quantile, runMeasured } from '../measure.ts'
import type { TokenPageOptions, TokenPageResult } from '../token-page-options.ts'
import { stream, type StreamingRun } from './streaming.ts'

type PageRun = TokenPageResult & { readonly foreignCores: number }

const SESSIONS = 5
const RATE = 60
/** More turns than any run lasts. */
const TURNS = 200

const secondsOf = ({ size }: BenchContext): number => (size === 'full' ? 20 : 6)
const filesOf = ({ size }: BenchContext): TokenPageOptions['files'] =>
  size === 'full' ? { csvMiB: 1024, textMiB: 100 } : { csvMiB: 64, textMiB: 20 }

async function pageRun(context: BenchContext, disturbed: boolean): Promise<PageRun> {
  const options: TokenPageOptions = {
    sessions: SESSIONS,
    rate: RATE,
    seconds: secondsOf(context),
    disturbing: disturbed ? disturbance(TURNS) : [],
    files: filesOf(context),
  }
  const cost = await runMeasured([context.node, path.join(context.root, 'tests', 'e2e', 'web-shell-tokens.ts'), JSON.stringify(options)], {
    env: { METONA_BUILD: 'never' },
    keepStdout: true,
  })
  if (cost.exitCode !== 0) throw new Error(`the run failed (${cost.exitCode}): ${cost.stderr}`)
  return { ...(JSON.parse(cost.stdout.trim().split('\n').at(-1) ?? '{}') as TokenPageResult), foreignCores: cost.foreignCores }
}

const allDelays = (runs: readonly PageRun[]): number[] => runs.flatMap((run) => run.delays)

export const tokenPage: BenchRow = {
  name: 'token-page',
  title: 'token → page, 5 sessions',
  run: async (context) => {
    // CI=true fails for a missing browser in its own test; here there is nothing to measure.
    if (chromiumMissing !== undefined) return { foreignCores: 0, figures: [], raw: chromiumMissing }
    const runs: PageRun[] = []
    for (let run = 0; run < (context.size === 'full' ? context.pairs : 1); run++) runs.push(await pageRun(context, false))
    const delays = allDelays(runs)
    return {
      foreignCores: median(runs.map((run) => run.foreignCores)),
      figures: [
        { name: 'p50', ours: quantile(delays, 0.5), unit: 'ms', budget: 35, kind: 'time' },
        { name: 'p99', ours: quantile(delays, 0.99), unit: 'ms', budget: 100, kind: 'time' },
        { name: 'tokens seen', ours: delays.length, unit: '', kind: 'count' },
      ],
      raw: runs,
    }
  },
}

export const disturbed: BenchRow = {
  name: 'disturbed',
  slow: true,
  title: '1 GB CSV, `yes` flood and 100 MB grep beside the three rows above: p99 over undisturbed',
  run: async (context) => {
    const provider = await startFakeProvider()
    const workspace = await context.scratch()
    await makeDisturbance(workspace, filesOf(context))
    const loads = { 'many-sessions': { sessions: 64, rate: 50 }, 'host-thread': { sessions: 16, rate: 100 } }
    try {
      const rounds = context.size === 'full' ? context.pairs : 1
      const figures: Figure[] = []
      const raw: Record<string, unknown> = {}
      const foreign: number[] = []
      for (const [name, load] of Object.entries(loads)) {
        const runs: { calm: StreamingRun; beside: StreamingRun }[] = []
        for (let round = 0; round < rounds; round++) {
          const run = { ...load, seconds: secondsOf(context), workspace }
          runs.push({
            calm: await stream(context, provider, run),
            beside: await stream(context, provider, { ...run, disturbing: disturbance(TURNS) }),
          })
        }
        raw[name] = runs
        foreign.push(...runs.map((run) => run.calm.foreignCores))
        for (const thread of name === 'host-thread' ? ['host'] : ['host', 'session', 'llm', 'storage'])
          figures.push(
            ratio(
              `${name}, ${thread}`,
              p99s(
                runs.map((run) => run.beside),
                thread,
              ),
              p99s(
                runs.map((run) => run.calm),
                thread,
              ),
            ),
          )
      }
      if (chromiumMissing === undefined) {
        const runs: { calm: PageRun; beside: PageRun }[] = []
        for (let round = 0; round < rounds; round++)
          runs.push({ calm: await pageRun(context, false), beside: await pageRun(context, true) })
        raw['token-page'] = runs
        foreign.push(...runs.map((run) => run.calm.foreignCores))
        const [beside, calm] = [runs.map((run) => run.beside), runs.map((run) => run.calm)]
        figures.push(ratio('token-page', quantile(allDelays(beside), 0.99), quantile(allDelays(calm), 0.99)))
      }
      return { foreignCores: median(foreign), figures, raw }
    } finally {
      await provider.stop()
    }
  },
}

function p99s(runs: readonly StreamingRun[], thread: string): number {
  return median(runs.flatMap((run) => run.delays.filter((delay) => delay.name === thread).map((delay) => delay.p99Ms)))
}

function ratio(name: string, beside: number, calm: number): Figure {
  return { name: `${name} p99`, ours: beside, floor: calm, unit: 'ms', budget: 2, ratio: true, kind: 'time' }
}
