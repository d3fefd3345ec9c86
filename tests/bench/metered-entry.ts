/** A worker of the app with a meter of its event loop beside it: says each second over a channel how late the loop ran. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { BroadcastChannel, workerData } from 'node:worker_threads'
import path from 'node:path'
import type { WorkerData } from '#contracts/wire/worker-lifecycle.ts'
import { METER_CHANNEL, RESOLUTION_MS } from './loop-delay-app.ts'

const { name, bundles } = workerData as WorkerData
const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
histogram.enable()
const channel = new BroadcastChannel(METER_CHANNEL)
channel.unref()
setInterval(
  () => channel.postMessage({ name, p99Ms: histogram.percentile(99) / 1e6 - RESOLUTION_MS, maxMs: histogram.max / 1e6 - RESOLUTION_MS }),
  1000,
).unref()
await import(path.join(bundles, name, 'entry.js'))
