import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ProviderQueue, type ProviderQueueOptions, type QueueWait } from '#workers/llm/provider-queue.ts'

beforeEach(() => void vi.useFakeTimers({ now: 1_800_000_000_000 }))
afterEach(() => void vi.useRealTimers())

const MINUTE = 60_000

/** A request that takes `ms` of the fake clock. */
const work = (ms: number) => () => new Promise<void>((resolve) => setTimeout(resolve, ms))
const task = (sessionId: string, onWait: (wait: QueueWait) => void = () => undefined, signal?: AbortSignal) => ({
  sessionId,
  onWait,
  signal,
})

/** Lets the clock run until `done` resolves. */
async function until<T>(done: Promise<T>): Promise<T> {
  let settled = false
  void done.finally(() => (settled = true)).catch(() => undefined)
  while (!settled) await vi.advanceTimersByTimeAsync(100)
  return done
}

/**
 * Four sessions that want the same number of answers from one provider. Each begins with one question; then one
 * asks for all the rest at once (parallel work), one a few at a time, two one after the other, one reads slowly.
 * @returns how long each took for all of its requests.
 */
async function fourSessions(options: ProviderQueueOptions, each: number): Promise<number[]> {
  const queue = new ProviderQueue(options)
  const started = Date.now()
  const shapes = [each, 3, 1, 1]
  const session = async (name: string, atOnce: number): Promise<number> => {
    const one = (): Promise<void> => queue.run(work(name === 's4' ? 900 : 300), task(name))
    let left = each - 1
    const lane = async (): Promise<void> => {
      while (left > 0) {
        left -= 1
        await one()
      }
    }
    await one()
    await Promise.all(Array.from({ length: atOnce }, lane))
    return Date.now() - started
  }
  const times = await until(Promise.all(shapes.map((atOnce, index) => session(`s${index + 1}`, atOnce))))
  queue.close()
  return times
}

describe('a quota of 20 a minute shared by four sessions', () => {
  const quota = { concurrency: 64, perMinute: 20 }
  const ratio = (times: readonly number[]): number => Math.max(...times) / Math.min(...times)

  test('the slowest is at most 1.1 times the fastest', async () => {
    expect(ratio(await fourSessions(quota, 40))).toBeLessThanOrEqual(1.1)
  })

  test('control: first come, first served, and it is not', async () => {
    expect(ratio(await fourSessions({ ...quota, fair: false }, 40))).toBeGreaterThan(1.1)
  })

  test('none of the quota is lost to the sharing: 20 a minute are used', async () => {
    const times = await fourSessions(quota, 40)
    // 160 requests: 20 in the first minute and 20 in each that follows.
    expect(Math.max(...times)).toBeLessThanOrEqual(8.1 * MINUTE)
  })

  test('a session alone may use half of its quota at once, and a newcomer then has its first turn at once', async () => {
    const queue = new ProviderQueue(quota)
    const start = Date.now()
    const starts: number[] = []
    const alone = Promise.all(Array.from({ length: 30 }, () => queue.run(async () => void starts.push(Date.now() - start), task('s'))))
    await vi.advanceTimersByTimeAsync(1_000)
    expect(starts.length).toBe(10)
    const first = await until(queue.run(async () => Date.now() - start, task('newcomer')))
    expect(first).toBeLessThan(1_200)
    await until(alone)
    queue.close()
  })

  test('no more than 20 start within any 60 seconds', async () => {
    const queue = new ProviderQueue(quota)
    const starts: number[] = []
    await until(
      Promise.all(Array.from({ length: 65 }, (_, index) => queue.run(async () => void starts.push(Date.now()), task(`s${index % 4}`)))),
    )
    const most = Math.max(...starts.map((start) => starts.filter((other) => other >= start && other < start + MINUTE).length))
    expect([starts.length, most]).toEqual([65, 20])
    queue.close()
  })
})

test('so many at once and no more', async () => {
  const queue = new ProviderQueue({ concurrency: 2 })
  let running = 0
  let most = 0
  const one = async (): Promise<void> => {
    running += 1
    most = Math.max(most, running)
    await work(50)()
    running -= 1
  }
  await until(Promise.all(Array.from({ length: 9 }, () => queue.run(one, task('s')))))
  expect(most).toBe(2)
})

test('a wait is reported with its place and end, again when it changes, and once when it is over', async () => {
  const queue = new ProviderQueue({ concurrency: 64, perMinute: 2 })
  const waits: QueueWait[][] = [[], [], [], []]
  const start = Date.now()
  const all = Promise.all(
    waits.map((list) =>
      queue.run(
        work(10),
        task('only one session', (wait) => list.push(wait)),
      ),
    ),
  )
  expect(queue.queued).toBe(3)
  await until(all)
  // Half of the two at once, the others half a minute apart.
  const at = (position: number, halves: number): QueueWait => ({ position, untilMs: start + (halves * MINUTE) / 2, ended: false })
  const over = { ended: true }
  expect(waits).toEqual([[], [at(0, 1), over], [at(1, 2), at(0, 2), over], [at(2, 3), at(1, 3), at(0, 3), over]])
})

test('a clock set back by an hour does not make a pause longer', async () => {
  const queue = new ProviderQueue({ concurrency: 64 })
  queue.pause(2_000)
  const waited = queue.run(async () => performance.now(), task('s'))
  const start = performance.now()
  vi.setSystemTime(Date.now() - 3_600_000)
  expect((await until(waited)) - start).toBeLessThanOrEqual(2_100)
})

test('a pause after 429 holds every session of that provider until its end, and the wait says until when', async () => {
  const queue = new ProviderQueue({ concurrency: 64 })
  const start = Date.now()
  queue.pause(7_000)
  const waits: QueueWait[] = []
  const began: number[] = []
  await until(
    Promise.all(
      ['a', 'b'].map((name) =>
        queue.run(
          async () => void began.push(Date.now() - start),
          task(name, (wait) => name === 'a' && waits.push(wait)),
        ),
      ),
    ),
  )
  expect([began, waits]).toEqual([
    [7_000, 7_000],
    [{ position: 0, untilMs: start + 7_000, ended: false }, { ended: true }],
  ])
})

test('a shorter pause does not end a longer one, and none is longer than a minute', async () => {
  const queue = new ProviderQueue({ concurrency: 64 })
  const start = Date.now()
  queue.pause(3_600_000)
  queue.pause(5)
  await until(queue.run(async () => undefined, task('a')))
  expect(Date.now() - start).toBeLessThanOrEqual(MINUTE + 100)
  expect(Date.now() - start).toBeGreaterThanOrEqual(MINUTE)
})

test('an abort while waiting leaves the queue at once, runs nothing and costs no turn of the quota', async () => {
  const queue = new ProviderQueue({ concurrency: 1 })
  const controller = new AbortController()
  const waits: QueueWait[] = []
  let ran = false
  const first = queue.run(work(1_000), task('a'))
  const second = queue.run(
    async () => void (ran = true),
    task('b', (wait) => waits.push(wait), controller.signal),
  )
  controller.abort()
  await expect(second).rejects.toThrow('aborted')
  expect([ran, queue.queued, waits.at(-1)]).toEqual([false, 0, { ended: true }])
  await until(first)
})

test('an abort while running is the request’s own business: its result still comes', async () => {
  const queue = new ProviderQueue({ concurrency: 1 })
  const controller = new AbortController()
  const result = queue.run(
    async () => {
      controller.abort()
      await work(20)()
      return 'closed in 1 ms'
    },
    task('a', undefined, controller.signal),
  )
  expect(await until(result)).toBe('closed in 1 ms')
})

test('a request that fails frees its place', async () => {
  const queue = new ProviderQueue({ concurrency: 1 })
  await expect(until(queue.run(() => Promise.reject(new Error('boom')), task('a')))).rejects.toThrow('boom')
  expect(await until(queue.run(() => Promise.resolve(3), task('a')))).toBe(3)
})

test('other limits hold for what comes from then on', async () => {
  const queue = new ProviderQueue({ concurrency: 64, perMinute: 1 })
  await until(queue.run(work(1), task('a')))
  queue.setLimits({ concurrency: 64 })
  const start = Date.now()
  await until(Promise.all([1, 2, 3].map(() => queue.run(work(1), task('a')))))
  expect(Date.now() - start).toBeLessThan(1_000)
})

test('what waits when the limits change still has its turn, also after a pause', async () => {
  const queue = new ProviderQueue({ concurrency: 1, perMinute: 5 })
  const running = queue.run(work(100), task('a'))
  const waiting = queue.run(async () => 'done', task('b'))
  queue.pause(2_000)
  queue.setLimits({ concurrency: 64 })
  expect(await until(waiting)).toBe('done')
  await until(running)
})
