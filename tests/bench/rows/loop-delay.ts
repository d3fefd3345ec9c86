/** How late the event loops run while many sessions stream to one client. */
import path from 'node:path'
import { startFakeProvider } from '#tests/helpers/fake-provider.ts'
import type { BenchRow, Figure } from '../bench-row.ts'
import type { Delay, LoopDelayOptions } from '../loop-delay-app.ts'
import { median, runMeasured } from '../measure.ts'

const TOKENS_PER_SECOND = 100

export const loopDelay: BenchRow = {
  name: 'loop-delay',
  title: '8 × 100 tokens/s to one client: delay of the event loops',
  run: async ({ pairs, size, node, root, scratch }) => {
    const seconds = size === 'full' ? 30 : 6
    const provider = await startFakeProvider()
    const prompts = Array.from({ length: 8 }, (_, session) => `delay-session-${session}-go`)
    try {
      const runs: { delays: Delay[]; foreignCores: number }[] = []
      for (let run = 0; run < pairs; run++) {
        await provider.reset()
        await provider.script(
          prompts.map((marker) => ({ marker, answers: [{ tokens: seconds * TOKENS_PER_SECOND, tokensPerSecond: TOKENS_PER_SECOND }] })),
        )
        const options: LoopDelayOptions = {
          workspace: await scratch(),
          profile: await scratch(),
          bundles: path.join(root, 'out'),
          model: 'deepseek/deepseek-flash',
          baseUrl: provider.baseUrl,
          prompts,
        }
        const cost = await runMeasured([node, path.join(root, 'tests', 'bench', 'loop-delay-app.ts'), JSON.stringify(options)], {
          env: { DEEPSEEK_API_KEY: 'sk-bench' },
          own: [provider.pid],
          keepStdout: true,
        })
        if (cost.exitCode !== 0) throw new Error(`the run failed (${cost.exitCode}): ${cost.stderr}`)
        runs.push({ delays: JSON.parse(cost.stdout.trim().split('\n').at(-1) ?? '[]') as Delay[], foreignCores: cost.foreignCores })
      }
      const of = (name: string, pick: (delay: Delay) => number): number =>
        median(runs.flatMap((run) => run.delays.filter((delay) => delay.name === name).map(pick)))
      const names = [...new Set(runs.flatMap((run) => run.delays.map((delay) => delay.name)))]
      const figures = names.flatMap((name): Figure[] => [
        { name: `${name} p99`, ours: of(name, (delay) => delay.p99Ms), unit: 'ms net', budget: name === 'host' ? 8 : 15, kind: 'time' },
        { name: `${name} max`, ours: of(name, (delay) => delay.maxMs), unit: 'ms net', kind: 'time' },
      ])
      return { foreignCores: median(runs.map((run) => run.foreignCores)), figures, raw: runs }
    } finally {
      await provider.stop()
    }
  },
}
