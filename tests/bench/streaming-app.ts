/**
 * The pipeline host with one client and many streaming sessions: how late each event loop runs, what the host's own
 * thread uses, how evenly the sessions end, what a session costs in memory. Argument: the options as JSON. Prints
 * one line of JSON at the end.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { MessageChannel, Worker } from 'node:worker_threads'
import type { Port } from '#contracts/wire/port.ts'
import { composeHost } from '#main/host/compose.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { heldHere } from './held-here.ts'
import type { ClientWord } from './streaming-client.ts'
import { RESOLUTION_MS, threadReports, type ThreadReport } from './thread-report.ts'

export interface StreamingOptions {
  readonly workspace: string
  readonly profile: string
  readonly bundles: string
  readonly model: string
  readonly baseUrl: string
  readonly prompts: readonly string[]
  /** First prompts of sessions that run tools beside the others; they are stopped at the end. */
  readonly disturbing: readonly string[]
}

export interface StreamingResult {
  /** The host first. From one second after the start. */
  readonly delays: Pick<ThreadReport, 'name' | 'p99Ms' | 'maxMs'>[]
  /** Cores used by the host's own thread. */
  readonly hostCores: number
  /** From the prompt to the end of the turn, for each session. */
  readonly sessionMs: number[]
  readonly completed: number
  /** What the threads hold more than before the sessions were made, divided by their number. */
  readonly heldMiB: number
  /** The same for the resident set of the process at its highest. */
  readonly residentMiB: number
}

const WORKERS = ['session', 'llm', 'tools', 'storage'] as const
const RSS_INTERVAL_MS = 200
const MIB = 1024 * 1024

const options = JSON.parse(process.argv[2] ?? '{}') as StreamingOptions
const reports = threadReports()
const host = composeHost({
  profile: options.profile,
  bundles: options.bundles,
  entryFor: () => fileURLToPath(new URL('./metered-entry.ts', import.meta.url)),
  onWorkerExit: ({ name, reason, message }) => process.stderr.write(`${name}: ${reason}: ${message}\n`),
})
const { port1, port2 } = new MessageChannel()
host.attach(port1 as unknown as Port, { remote: false })
const client = new Worker(new URL('./streaming-client.ts', import.meta.url), {
  workerData: { port: port2, options },
  transferList: [port2],
})
client.on('error', (error) => {
  throw error
})
const word = async <T extends ClientWord['type']>(type: T): Promise<Extract<ClientWord, { type: T }>> => {
  for (;;) {
    const said = await new Promise<ClientWord>((resolve) => client.once('message', resolve))
    if (said.type === type) return said as Extract<ClientWord, { type: T }>
  }
}
const go = (): void => client.postMessage('go')
/** The client's thread is not the app's. */
const held = (found: readonly ThreadReport[]): number => found.reduce((sum, report) => sum + report.bytes, heldHere())

host.warm(...WORKERS)
await word('opened')
await eventually('all workers to run', () => host.health().workers.every(({ state }) => state === 'running'))
const before = held(await reports.read(WORKERS.length))
const residentBefore = process.memoryUsage.rss()
go()
await word('ready')
let resident = residentBefore
const sampling = setInterval(() => (resident = Math.max(resident, process.memoryUsage.rss())), RSS_INTERVAL_MS)
const ended = word('ended')
go()
// The first second is start-up, which is another row.
await wait(1_000)
const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
histogram.enable()
reports.reset()
const [cpuBefore, startedAt] = [process.threadCpuUsage(), performance.now()]
const { sessionMs, completed } = await ended
const cpu = process.threadCpuUsage(cpuBefore)
const hostCores = (cpu.user + cpu.system) / 1000 / (performance.now() - startedAt)
const main = { name: 'host', p99Ms: histogram.percentile(99) / 1e6 - RESOLUTION_MS, maxMs: histogram.max / 1e6 - RESOLUTION_MS }
clearInterval(sampling)
const after = await reports.read(WORKERS.length)
const result: StreamingResult = {
  delays: [main, ...after.map(({ name, p99Ms, maxMs }) => ({ name, p99Ms, maxMs }))],
  hostCores,
  sessionMs,
  completed,
  heldMiB: (held(after) - before) / MIB / options.prompts.length,
  residentMiB: (resident - residentBefore) / MIB / options.prompts.length,
}
process.stdout.write(`${JSON.stringify(result)}\n`)
go()
await new Promise((resolve) => client.once('exit', resolve))
reports.close()
await host.stop(8_000)
process.exit(0)
