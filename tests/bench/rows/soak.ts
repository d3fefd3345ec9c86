/** An hour with eight sessions and 3,000 turns; in the short row a few seconds of the same. */
import path from 'node:path'
import { startFakeProvider } from '#tests/helpers/fake-provider.ts'
import type { BenchRow, Figure } from '../bench-row.ts'
import { runMeasured } from '../measure.ts'
import type { SoakOptions, SoakResult } from '../soak-app.ts'

const FULL = { sessions: 8, turnsOfSession: 25, generations: 15, turnMs: 9_600, sampleMs: 30_000 }
const SHORT = { sessions: 8, turnsOfSession: 4, generations: 2, turnMs: 0, sampleMs: 1_000 }
/** Caches fill and code is compiled before that. */
const SETTLED_MINUTES = 10

export const soak: BenchRow = {
  name: 'soak',
  title: 'an hour, 8 sessions, 3,000 turns',
  run: async ({ size, node, root, scratch }) => {
    const provider = await startFakeProvider()
    const load = size === 'full' ? FULL : SHORT
    const options: SoakOptions = {
      ...load,
      workspace: await scratch(),
      profile: await scratch(),
      bundles: path.join(root, 'out'),
      baseUrl: provider.baseUrl,
    }
    try {
      const cost = await runMeasured([node, path.join(root, 'tests', 'bench', 'soak-app.ts'), JSON.stringify(options)], {
        env: { DEEPSEEK_API_KEY: 'sk-bench' },
        own: [provider.pid],
        keepStdout: true,
      })
      if (cost.exitCode !== 0) throw new Error(`the run failed (${cost.exitCode}): ${cost.stderr}`)
      const result = JSON.parse(cost.stdout.trim().split('\n').at(-1) ?? '{}') as SoakResult
      const count = (name: string, ours: number): Figure => ({ name, ours, unit: '', budget: 0, kind: 'count' })
      return {
        foreignCores: cost.foreignCores,
        figures: [
          {
            name: 'turns',
            ours: result.turns,
            unit: '',
            budget: load.sessions * load.turnsOfSession * load.generations,
            atLeast: true,
            kind: 'count',
          },
          ...slopes(result, size === 'full'),
          count('lost events', result.lostEvents),
          count('differences between database, logs and audit trail', result.differences),
          count('files left open', result.filesLeft.length),
          count('resources left', result.resourcesLeft.length),
        ],
        raw: { ...result, cpuSeconds: cost.cpuSeconds, minutes: cost.wallMs / 60_000 },
      }
    } finally {
      await provider.stop()
    }
  },
}

/** MiB a minute for each thread, by least squares. Seconds say nothing about minutes, so the short row only reports. */
function slopes({ heaps }: SoakResult, judged: boolean): Figure[] {
  const settled = heaps.filter((heap) => !judged || heap.minute >= SETTLED_MINUTES)
  const names = Object.keys(settled[0]?.threads ?? {})
  return names.map((name): Figure => {
    const points = settled.map((heap) => ({ x: heap.minute, y: heap.threads[name] ?? 0 }))
    const mean = (pick: (point: (typeof points)[number]) => number): number =>
      points.reduce((sum, point) => sum + pick(point), 0) / points.length
    const [x, y] = [mean((point) => point.x), mean((point) => point.y)]
    const slope = mean((point) => (point.x - x) * (point.y - y)) / mean((point) => (point.x - x) ** 2)
    return { name: `heap slope, ${name}`, ours: slope, unit: 'MiB/min', kind: 'count', ...(judged ? { budget: 1 } : {}) }
  })
}
