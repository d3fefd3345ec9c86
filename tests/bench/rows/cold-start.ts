/** From the start of the process to its first request at the provider. */
import { startFakeProvider } from '#tests/helpers/fake-provider.ts'
import type { BenchRow } from '../bench-row.ts'
import { foreignBeside, median, type RunCost, runMeasured } from '../measure.ts'

type Timed = RunCost & { firstRequestMs: number }

export const coldStart: BenchRow = {
  name: 'cold-start',
  title: 'start → first request',
  run: async ({ pairs, node, metona, scratch }) => {
    const provider = await startFakeProvider()
    await provider.script([{ answers: [{ text: 'hello' }], repeatLast: true }])
    const workspace = await scratch()
    const env = { METONA_HOME: await scratch(), DEEPSEEK_API_KEY: 'sk-bench' }
    const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] })
    const floorArgv = [
      node,
      '-e',
      `fetch('${provider.baseUrl}/chat/completions',{method:'POST',body:${JSON.stringify(body)}}).then(r=>r.text())`,
    ]
    const ourArgv = [node, metona, 'run', '-w', workspace, '--trust', '-m', 'deepseek/deepseek-flash', '--base-url', provider.baseUrl, 'hi']
    const timed = async (argv: string[]): Promise<Timed> => {
      await provider.reset()
      await provider.script([{ answers: [{ text: 'hello' }], repeatLast: true }])
      const cost = await runMeasured(argv, { env, own: [provider.pid] })
      const first = (await provider.requests())[0]
      if (cost.exitCode !== 0 || first === undefined) throw new Error(`the run failed (${cost.exitCode}): ${cost.stderr}`)
      return { ...cost, firstRequestMs: first.arrivedAt - cost.startedAt }
    }
    try {
      // The first run makes the workspace and fills the compile cache; it is not a start like the others.
      await timed(ourArgv)
      const runs: { floor: Timed; ours: Timed }[] = []
      for (let pair = 0; pair < pairs; pair++) runs.push({ floor: await timed(floorArgv), ours: await timed(ourArgv) })
      const of = (pick: (run: (typeof runs)[number]) => number): number => median(runs.map(pick))
      return {
        foreignCores: foreignBeside(
          runs.map((run) => run.ours),
          runs.map((run) => run.floor),
        ),
        figures: [
          {
            name: 'first request',
            ours: of((run) => run.ours.firstRequestMs),
            floor: of((run) => run.floor.firstRequestMs),
            unit: 'ms',
            budget: 4.5,
            ratio: true,
            kind: 'time',
          },
          {
            name: 'CPU of the whole run',
            ours: of((run) => run.ours.cpuSeconds),
            floor: of((run) => run.floor.cpuSeconds),
            unit: 's',
            budget: 1.2,
            kind: 'cpu',
          },
        ],
        raw: runs.map(({ floor, ours }) => ({ floor: brief(floor), ours: brief(ours) })),
      }
    } finally {
      await provider.stop()
    }
  },
}

function brief(run: Timed): object {
  return { firstRequestMs: run.firstRequestMs, cpuSeconds: run.cpuSeconds, foreignCores: run.foreignCores }
}
