import { Link, type LinkState } from '#renderer/ipc/link.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { TransportEvents, TransportFactory } from '#renderer/ipc/transport.ts'

const attempts: TransportEvents[] = []
const closed: number[] = []
let states: LinkState[] = []

function factory(probe?: TransportFactory['probe']): TransportFactory {
  return {
    ...(probe === undefined ? {} : { probe }),
    open(events) {
      const index = attempts.push(events) - 1
      let done = false
      return {
        send: () => undefined,
        close() {
          if (done) return
          done = true
          closed.push(index)
          events.onClose()
        },
      }
    },
  }
}

function start(probe?: TransportFactory['probe']): Link {
  const link = new Link({
    factory: factory(probe),
    delays: [100, 300, 900],
    openTimeoutMs: 5000,
    now: () => 0,
    onMessage: () => undefined,
    onState: (state) => states.push(state),
  })
  link.start()
  return link
}

beforeEach(() => {
  vi.useFakeTimers()
  attempts.length = 0
  closed.length = 0
  states = []
})
afterEach(() => {
  vi.useRealTimers()
})

test('each failed attempt waits longer, the last delay repeats, and an opened one starts over', async () => {
  start()
  for (const wait of [300, 900, 900]) {
    attempts.at(-1)?.onClose()
    expect(states.at(-1)).toMatchObject({ state: 'waiting', retryAt: wait })
    await vi.advanceTimersByTimeAsync(wait)
  }
  attempts.at(-1)?.onOpen()
  attempts.at(-1)?.onClose()
  expect(states.at(-1)).toEqual({ state: 'waiting', attempt: 0, retryAt: 100 })
})

test('an attempt that neither opens nor closes counts as failed after its time', async () => {
  start()
  await vi.advanceTimersByTimeAsync(5000)
  expect(closed).toEqual([0])
  expect(states.at(-1)?.state).toBe('waiting')
})

test('retrying by hand skips the rest of the waiting time', () => {
  const link = start()
  attempts[0]?.onClose()
  link.retryNow()
  expect(attempts).toHaveLength(2)
})

test('a page the host no longer accepts is told so and does not go on asking', async () => {
  start(() => Promise.resolve('refused'))
  attempts[0]?.onClose()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(states.at(-1)).toEqual({ state: 'refused' })
  expect(attempts).toHaveLength(1)
})

test('a host that is only away is asked again', async () => {
  start(() => Promise.resolve('unreachable'))
  attempts[0]?.onClose()
  await vi.advanceTimersByTimeAsync(300)
  expect(attempts).toHaveLength(2)
})

test('a stopped link does not come back', async () => {
  const link = start()
  attempts[0]?.onOpen()
  link.stop()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(attempts).toHaveLength(1)
})
