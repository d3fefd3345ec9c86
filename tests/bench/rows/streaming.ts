/** Rows about many sessions that stream to one client. */
import path from 'node:path'
import { startFakeProvider, type FakeProvider, type FakeRule } from '#tests/helpers/fake-provider.ts'
import type { BenchContext, BenchRow, Figure } from '../bench-row.ts'
import { median, runMeasured } from '../measure.ts'
import type { StreamingOptions, StreamingResult } from '../streaming-app.ts'

export interface StreamingRun extends StreamingResult {
  readonly foreignCores: number
}

export interface Streaming {
  readonly sessions: number
  readonly rate: number
  readonly seconds: number
  readonly workspace: string
  readonly disturbing?: readonly FakeRule[]
}

/** One run of the streaming app. */
export async function stream({ node, root, scratch }: BenchContext, provider: FakeProvider, load: Streaming): Promise<StreamingRun> {
  // The bar keeps one session's mark from being the beginning of another's.
  const prompts = Array.from({ length: load.sessions }, (_, session) => `stream-session-${session}|`)
  await provider.reset()
  await provider.script([
    ...prompts.map((marker) => ({ marker, answers: [{ tokens: load.seconds * load.rate, tokensPerSecond: load.rate }] })),
    ...(load.disturbing ?? []),
  ])
  const options: StreamingOptions = {
    workspace: load.workspace,
    profile: await scratch(),
    bundles: path.join(root, 'out'),
    model: 'deepseek/deepseek-flash',
    baseUrl: provider.baseUrl,
    prompts,
    disturbing: (load.disturbing ?? []).map((rule) => rule.marker ?? ''),
  }
  const cost = await runMeasured([node, path.join(root, 'tests', 'bench', 'streaming-app.ts'), JSON.stringify(options)], {
    env: { DEEPSEEK_API_KEY: 'sk-bench' },
    own: [provider.pid],
    keepStdout: true,
  })
  if (cost.exitCode !== 0) throw new Error(`the run failed (${cost.exitCode}): ${cost.stderr}`)
  return { ...(JSON.parse(cost.stdout.trim().split('\n').at(-1) ?? '{}') as StreamingResult), foreignCores: cost.foreignCores }
}

/** Of each thread the median p99 over the runs, and the longest delay of any run. */
export function delayFigures(
  runs: readonly StreamingRun[],
  budgets: { readonly hostP99: number; readonly workerP99?: number; readonly hostMax?: number; readonly workerMax?: number },
): Figure[] {
  const names = [...new Set(runs.flatMap((run) => run.delays.map((delay) => delay.name)))]
  const of = (name: string): StreamingRun['delays'] => runs.flatMap((run) => run.delays.filter((delay) => delay.name === name))
  return names.flatMap((name): Figure[] => {
    const [p99, max] = name === 'host' ? [budgets.hostP99, budgets.hostMax] : [budgets.workerP99, budgets.workerMax]
    return [
      {
        name: `${name} p99`,
        ours: median(of(name).map((delay) => delay.p99Ms)),
        unit: 'ms net',
        kind: 'time',
        ...(p99 === undefined ? {} : { budget: p99 }),
      },
      {
        name: `${name} max`,
        ours: Math.max(...of(name).map((delay) => delay.maxMs)),
        unit: 'ms net',
        kind: 'time',
        ...(max === undefined ? {} : { budget: max }),
      },
    ]
  })
}

interface StreamingRow {
  readonly name: string
  readonly title: string
  readonly sessions: number
  readonly rate: number
  readonly shortSeconds: number
  figures(runs: readonly StreamingRun[]): Figure[]
}

/** Without a floor: the runs are repeated, and their medians judged. */
function streamingRow(row: StreamingRow): BenchRow {
  return {
    name: row.name,
    title: row.title,
    run: async (context) => {
      const provider = await startFakeProvider()
      try {
        const runs: StreamingRun[] = []
        const count = context.size === 'full' ? context.pairs : 1
        for (let run = 0; run < count; run++)
          runs.push(
            await stream(context, provider, {
              sessions: row.sessions,
              rate: row.rate,
              seconds: context.size === 'full' ? 30 : row.shortSeconds,
              workspace: await context.scratch(),
            }),
          )
        return { foreignCores: median(runs.map((run) => run.foreignCores)), figures: row.figures(runs), raw: runs }
      } finally {
        await provider.stop()
      }
    },
  }
}

export const loopDelay = streamingRow({
  name: 'loop-delay',
  title: '8 × 100 tokens/s to one client: delay of the event loops',
  sessions: 8,
  rate: 100,
  shortSeconds: 6,
  figures: (runs) => delayFigures(runs, { hostP99: 8, workerP99: 15 }),
})

export const manySessions = streamingRow({
  name: 'many-sessions',
  title: '64 × 50 tokens/s',
  sessions: 64,
  rate: 50,
  shortSeconds: 8,
  figures: (runs) => [
    { name: 'complete', ours: Math.min(...runs.map((run) => run.completed)), unit: 'sessions', budget: 64, atLeast: true, kind: 'count' },
    ...delayFigures(runs, { hostP99: 8, workerP99: 15, hostMax: 60, workerMax: 60 }),
    {
      name: 'slowest over fastest',
      ours: median(runs.map((run) => Math.max(...run.sessionMs) / Math.min(...run.sessionMs))),
      unit: '×',
      budget: 1.05,
      kind: 'time',
    },
    { name: 'held for a session', ours: median(runs.map((run) => run.heldMiB)), unit: 'MiB', budget: 2, kind: 'count' },
    { name: 'resident for a session', ours: median(runs.map((run) => run.residentMiB)), unit: 'MiB', budget: 2, kind: 'count' },
  ],
})

export const hostThread = streamingRow({
  name: 'host-thread',
  title: 'the host’s own thread, 16 × 100 tokens/s to one client',
  sessions: 16,
  rate: 100,
  shortSeconds: 6,
  figures: (runs) => [
    { name: 'CPU', ours: median(runs.map((run) => run.hostCores * 100)), unit: '% of a core', budget: 3, kind: 'cpu' },
    ...delayFigures(runs, { hostP99: 6, hostMax: 40 }).filter((figure) => figure.name.startsWith('host')),
  ],
})
