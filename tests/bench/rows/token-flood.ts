/** 100,000 tokens at full speed, stored and printed. */
import { startFakeProvider } from '#tests/helpers/fake-provider.ts'
import type { BenchRow } from '../bench-row.ts'
import { floorProgram, foreignBeside, median, type RunCost, runMeasured } from '../measure.ts'

type Streamed = RunCost & { streamMs: number }

export const tokenFlood: BenchRow = {
  name: 'token-flood',
  title: '100,000 tokens at full speed, stored, printed',
  run: async ({ pairs, node, metona, root, scratch }) => {
    const tokens = 100_000
    const provider = await startFakeProvider()
    const workspace = await scratch()
    const env = { METONA_HOME: await scratch(), DEEPSEEK_API_KEY: 'sk-bench' }
    const measured = async (argv: string[]): Promise<Streamed> => {
      await provider.reset()
      await provider.script([{ tokens, thinking: '' }])
      const cost = await runMeasured(argv, { env, own: [provider.pid] })
      const request = (await provider.requests())[0]
      if (cost.exitCode !== 0 || request?.firstByteAt === undefined) throw new Error(`the run failed (${cost.exitCode}): ${cost.stderr}`)
      // Until the process has ended: what was streamed is stored and printed by then.
      return { ...cost, streamMs: cost.startedAt + cost.wallMs - request.firstByteAt }
    }
    const floorArgv = [node, await floorProgram(root), provider.baseUrl, JSON.stringify({ prompts: ['go'], print: true })]
    const ourArgv = [node, metona, 'run', '-w', workspace, '--trust', '-m', 'deepseek/deepseek-flash', '--base-url', provider.baseUrl, 'go']
    try {
      const runs: { floor: Streamed; ours: Streamed }[] = []
      for (let pair = 0; pair < pairs; pair++) runs.push({ floor: await measured(floorArgv), ours: await measured(ourArgv) })
      const of = (pick: (run: (typeof runs)[number]) => number): number => median(runs.map(pick))
      const rate = (run: { streamMs: number }): number => tokens / (run.streamMs / 1000)
      return {
        foreignCores: foreignBeside(
          runs.map((run) => run.ours),
          runs.map((run) => run.floor),
        ),
        figures: [
          {
            name: 'rate',
            ours: of((run) => rate(run.ours)),
            floor: of((run) => rate(run.floor)),
            unit: 'tokens/s',
            budget: 0.6,
            ratio: true,
            atLeast: true,
            kind: 'time',
          },
          {
            name: 'CPU',
            ours: of((run) => run.ours.cpuSeconds),
            floor: of((run) => run.floor.cpuSeconds),
            unit: 's',
            budget: 2,
            ratio: true,
            kind: 'cpu',
          },
        ],
        raw: runs.map(({ floor, ours }) => ({
          floor: { streamMs: floor.streamMs, cpuSeconds: floor.cpuSeconds, foreignCores: floor.foreignCores },
          ours: { streamMs: ours.streamMs, cpuSeconds: ours.cpuSeconds, foreignCores: ours.foreignCores },
        })),
      }
    } finally {
      await provider.stop()
    }
  },
}
