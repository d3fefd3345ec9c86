import { createCredit } from '#renderer/ipc/credit.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
})
afterEach(() => {
  vi.useRealTimers()
})

test('acks go at most every 100 ms and name the latest post', async () => {
  const sent: [number, number][] = []
  const credit = createCredit((post) => sent.push([Date.now(), post]))
  for (let post = 1; post <= 30; post++) {
    credit.taken(post)
    await vi.advanceTimersByTimeAsync(16)
  }
  await vi.advanceTimersByTimeAsync(200)
  expect(sent).toEqual([
    [0, 1],
    [100, 7],
    [200, 13],
    [300, 19],
    [400, 25],
    [500, 30],
  ])
})

test('nothing is acknowledged twice, and a new connection starts over', async () => {
  const sent: number[] = []
  const credit = createCredit((post) => sent.push(post))
  credit.taken(5)
  credit.taken(5)
  await vi.advanceTimersByTimeAsync(1000)
  credit.reset()
  credit.taken(1)
  expect(sent).toEqual([5, 1])
})
