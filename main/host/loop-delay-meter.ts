/** How late the host's event loop runs. Off until the first reading, and again some time after the last: a sampling timer would wake an idle app. */
import type { ELDHistogram } from 'node:perf_hooks'
import type { LoopDelay } from '#contracts/health/thread-health.ts'

const RESOLUTION_MS = 5
const WATCHED_MS = 10_000

/** Each `read` gives the delay since the one before, net of the sampling interval. */
export function loopDelayMeter(): { read(): LoopDelay } {
  let histogram: ELDHistogram | undefined
  let timer: NodeJS.Timeout | undefined
  return {
    read: () => {
      // Loaded here: at start-up the module would cost more than all of the host's own code.
      histogram ??= process.getBuiltinModule('node:perf_hooks').monitorEventLoopDelay({ resolution: RESOLUTION_MS })
      const delay =
        histogram.count === 0
          ? { meanMs: 0, p99Ms: 0, maxMs: 0 }
          : { meanMs: net(histogram.mean), p99Ms: net(histogram.percentile(99)), maxMs: net(histogram.max) }
      histogram.reset()
      histogram.enable()
      clearTimeout(timer)
      timer = setTimeout(() => histogram?.disable(), WATCHED_MS).unref()
      return delay
    },
  }
}

function net(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS)
}
