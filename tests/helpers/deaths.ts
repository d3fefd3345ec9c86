/** The eight ways in which a worker thread can end, on request from the test's own thread. */
import { BroadcastChannel, parentPort } from 'node:worker_threads'

export const DEATHS = ['heap', 'spin', 'exit', 'throw', 'reject', 'overflow', 'flood', 'terminate'] as const
export type Death = (typeof DEATHS)[number]

/** All threads of the process hear it; `worker` says who is meant. */
export interface DeathOrder {
  readonly worker: string
  /** Absent: it only holds still. */
  readonly death?: Exclude<Death, 'terminate'>
  /** The thread holds still this long first, so that work for it piles up; milliseconds. */
  readonly blockMs?: number
}

const CHANNEL = 'metona-test-deaths'

export function orderDeath(order: DeathOrder): void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage(order)
  channel.close()
}

/** To be called in the thread of `worker`. Keeps no thread alive. */
export function listenForDeath(worker: string): void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.onmessage = (message: unknown) => {
    const order = (message as { data: DeathOrder }).data
    if (order.worker !== worker) return
    for (const end = performance.now() + (order.blockMs ?? 0); performance.now() < end;);
    if (order.death !== undefined) die(order.death)
  }
  channel.unref()
}

function die(death: NonNullable<DeathOrder['death']>): void {
  switch (death) {
    case 'heap': {
      const kept: unknown[] = []
      for (;;) kept.push(Array.from({ length: 1_000_000 }).fill(kept.length))
    }
    case 'spin':
      for (;;);
    case 'exit':
      return process.exit(7)
    case 'throw':
      setImmediate(() => {
        throw new Error('thrown on purpose')
      })
      return
    case 'reject':
      void Promise.reject(new Error('rejected on purpose'))
      return
    case 'overflow':
      setImmediate(overflow)
      return
    case 'flood':
      for (;;) parentPort?.postMessage({ type: 'log', level: 'info', message: 'flood' })
  }
}

function overflow(): number {
  return overflow() + 1
}
