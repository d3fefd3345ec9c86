/** What the metered workers of an app tell its main thread: loop delay since the last reset, and the heap after a collection. */
import { BroadcastChannel } from 'node:worker_threads'

export const METER_CHANNEL = 'metona-bench-threads'
export const RESOLUTION_MS = 5

export interface ThreadReport {
  readonly name: string
  readonly p99Ms: number
  readonly maxMs: number
  /** Heap and memory outside it, collected first. */
  readonly bytes: number
}

export type MeterOrder = { readonly order: 'reset' } | { readonly order: 'report'; readonly id: number }

export interface ThreadReports {
  reset(): void
  /** Resolves when `count` threads have answered. */
  read(count: number): Promise<ThreadReport[]>
  close(): void
}

export function threadReports(): ThreadReports {
  const channel = new BroadcastChannel(METER_CHANNEL)
  const waiting = new Map<number, { readonly found: ThreadReport[]; readonly count: number; resolve(found: ThreadReport[]): void }>()
  let nextId = 1
  channel.onmessage = (event) => {
    const { id, report } = (event as { data: { id: number; report: ThreadReport } }).data
    const entry = waiting.get(id)
    if (entry === undefined) return
    entry.found.push(report)
    if (entry.found.length < entry.count) return
    waiting.delete(id)
    entry.resolve(entry.found)
  }
  const send = (order: MeterOrder): void => channel.postMessage(order)
  return {
    reset: () => send({ order: 'reset' }),
    read: (count) =>
      new Promise((resolve) => {
        const id = nextId++
        waiting.set(id, { found: [], count, resolve })
        send({ order: 'report', id })
      }),
    close: () => channel.close(),
  }
}
