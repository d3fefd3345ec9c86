/** A worker of the app with a meter of its event loop and its heap beside it, read over a channel. */
import path from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { pathToFileURL } from 'node:url'
import { BroadcastChannel, workerData } from 'node:worker_threads'
import type { WorkerData } from '#contracts/wire/worker-lifecycle.ts'
import { heldHere } from './held-here.ts'
import { METER_CHANNEL, RESOLUTION_MS, type MeterOrder, type ThreadReport } from './thread-report.ts'

const { name, bundles } = workerData as WorkerData
const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
histogram.enable()
const channel = new BroadcastChannel(METER_CHANNEL)
channel.unref()
channel.onmessage = (event) => {
  // The other threads' reports are heard here, too.
  const message = (event as { data: Partial<MeterOrder> }).data as MeterOrder
  if (message.order === 'reset') return histogram.reset()
  if (message.order !== 'report') return
  // Before the collection, which is the meter's own doing.
  const delay = { p99Ms: histogram.percentile(99) / 1e6 - RESOLUTION_MS, maxMs: histogram.max / 1e6 - RESOLUTION_MS }
  const report: ThreadReport = { name, ...delay, bytes: heldHere() }
  channel.postMessage({ id: message.id, report })
}
await import(pathToFileURL(path.join(bundles, name, 'entry.js')).href)
