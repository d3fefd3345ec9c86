/** A workspace of years: how long listing, opening and searching take. The medians of repeated calls, through the client. */
import path from 'node:path'
import type { BenchRow } from '../bench-row.ts'
import type { BigWorkspaceOptions, BigWorkspaceResult } from '../big-workspace-app.ts'
import { median, quantile, runMeasured } from '../measure.ts'

const FULL = { sessions: 5_000, turnsOfSession: 100, events: 10_000, repeats: 20 }
const SHORT = { sessions: 300, turnsOfSession: 20, events: 10_000, repeats: 5 }

export const bigWorkspace: BenchRow = {
  name: 'big-workspace',
  title: 'list 5,000 sessions, open one of 10,000 events, search a million messages',
  run: async ({ size, node, root, scratch }) => {
    const options: BigWorkspaceOptions = {
      ...(size === 'full' ? FULL : SHORT),
      workspace: await scratch(),
      profile: await scratch(),
      bundles: path.join(root, 'out'),
    }
    const cost = await runMeasured([node, path.join(root, 'tests', 'bench', 'big-workspace-app.ts'), JSON.stringify(options)], {
      keepStdout: true,
    })
    if (cost.exitCode !== 0) throw new Error(`the run failed (${cost.exitCode}): ${cost.stderr}`)
    const result = JSON.parse(cost.stdout.trim().split('\n').at(-1) ?? '{}') as BigWorkspaceResult
    return {
      foreignCores: result.foreignCores,
      figures: [
        { name: 'list', ours: median(result.listMs), unit: 'ms', budget: 150, kind: 'time' },
        { name: 'open', ours: median(result.openMs), unit: 'ms', budget: 200, kind: 'time' },
        { name: 'search, p95', ours: quantile(result.searchMs, 0.95), unit: 'ms', budget: 100, kind: 'time' },
        { name: 'searches that found nothing', ours: result.emptySearches, unit: '', budget: 0, kind: 'count' },
      ],
      raw: { ...result, seconds: cost.wallMs / 1000 },
    }
  },
}
