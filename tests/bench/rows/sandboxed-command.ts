/** One command in the sandbox, command host warm: the app's way against the same `bwrap` command line started by nobody's hand but Node's. */
import { setTimeout as delay } from 'node:timers/promises'
import { currentUser, openSandboxBench, removeBundles, type SandboxBench } from '../../workers/tools/sandbox/sandbox-bench.ts'
import type { BenchRow } from '../bench-row.ts'
import { busySeconds, cpuOf, median, quantile } from '../measure.ts'

interface Side {
  readonly durations: number[]
  /** CPU seconds of all that it took. */
  cpuSeconds: number
}

const COMMAND = 'echo 1'
const SETTLE_MS = 100
/** The kernel counts in hundredths of a second. */
const LOOK_MS = 400

export const sandboxedCommand: BenchRow = {
  name: 'sandboxed-command',
  title: 'a command in the sandbox over the same bwrap argv started bare',
  run: async ({ pairs, size }) => {
    const bench = await openSandboxBench(currentUser())
    try {
      if (bench.state.kind !== 'bwrap') throw new Error(`there is no sandbox here: ${JSON.stringify(bench.state)}`)
      for (let round = 0; round < 3; round++) await both(bench, 1, round)
      const batches: { ours: Side; floor: Side }[] = []
      let foreignCores = await othersNow(bench)
      for (let pair = 0; pair < Math.max(5, pairs); pair++) {
        batches.push(await both(bench, size === 'full' ? 20 : 8, pair))
        foreignCores = Math.max(foreignCores, await othersNow(bench))
      }
      const all = (side: 'ours' | 'floor'): number[] => batches.flatMap((batch) => batch[side].durations)
      const cpu = (side: 'ours' | 'floor'): number => batches.reduce((sum, batch) => sum + batch[side].cpuSeconds, 0)
      return {
        foreignCores,
        figures: [
          { name: 'median', ours: median(all('ours')), floor: median(all('floor')), unit: 'ms', budget: 1.25, ratio: true, kind: 'time' },
          {
            name: 'p90',
            ours: quantile(all('ours'), 0.9),
            floor: quantile(all('floor'), 0.9),
            unit: 'ms',
            budget: 1.25,
            ratio: true,
            kind: 'time',
          },
          { name: 'CPU', ours: cpu('ours'), floor: cpu('floor'), unit: 's', ratio: true, kind: 'cpu' },
        ],
        raw: batches,
      }
    } finally {
      await bench.close()
      await removeBundles()
    }
  },
}

/**
 * Cores that others use, looked at while nothing is measured: the first process of a sandbox is waited for by the machine's
 * first process, not by ours, so that its time would be counted as theirs.
 */
async function othersNow(bench: SandboxBench): Promise<number> {
  // What the kernel clears up after the last sandbox is ours.
  await delay(SETTLE_MS)
  const startedAt = performance.now()
  const [busy, own] = [await busySeconds(), await ownCpu(bench)]
  await delay(LOOK_MS)
  const foreign = (await busySeconds()) - busy - ((await ownCpu(bench)) - own)
  return Math.max(0, foreign / ((performance.now() - startedAt) / 1000))
}

/** Ours and the floor after each other, which first by turns. */
async function both(bench: SandboxBench, times: number, turn: number): Promise<{ ours: Side; floor: Side }> {
  const ours = async (): Promise<Side> => {
    const before = await cpuOf(processes(bench))
    const durations: number[] = []
    for (let index = 0; index < times; index++) durations.push((await bench.run(COMMAND)).durationMs)
    return { durations, cpuSeconds: (await cpuOf(processes(bench))) - before }
  }
  // Its CPU has what finds out the command line in it as well, which is as much as for ours.
  const floor = async (): Promise<Side> => {
    const before = await cpuOf([bench.pid])
    const durations: number[] = []
    for (let index = 0; index < times; index++) durations.push(await bench.bare(COMMAND))
    return { durations, cpuSeconds: (await cpuOf([bench.pid])) - before }
  }
  if (turn % 2 === 0) return { ours: await ours(), floor: await floor() }
  const first = await floor()
  return { floor: first, ours: await ours() }
}

const processes = (bench: SandboxBench): number[] => [bench.pid, ...bench.hosts.map((host) => host.pid)]
const ownCpu = (bench: SandboxBench): Promise<number> => cpuOf([process.pid, ...processes(bench)])
