import { serialize } from 'node:v8'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '#tests/helpers/random.ts'
import { DurationHistogram } from '#workers/shared/metering/duration-histogram.ts'
import { estimateBytes } from '#workers/shared/metering/estimate-bytes.ts'
import { sessionOf } from '#workers/shared/metering/session-of.ts'

describe('durations', () => {
  test('a quantile is at most a step of 15 % above the true one, and never above the largest', () => {
    const random = seededRandom('durations')
    const histogram = new DurationHistogram()
    const values = Array.from({ length: 5_000 }, () => 0.002 * 10 ** (random.next() * 7))
    for (const value of values) histogram.add(value)
    const sorted = [...values].sort((left, right) => left - right)
    const { p50Ms, p99Ms, maxMs } = histogram.spread()
    const off = [p50Ms / (sorted[2_499] ?? 0), p99Ms / (sorted[4_949] ?? 0)]
    expect(
      off.every((ratio) => ratio >= 1 && ratio < 1.15),
      off.join(', '),
    ).toBe(true)
    expect([histogram.count, maxMs, p99Ms <= maxMs]).toEqual([5_000, sorted.at(-1), true])
  })

  test('none, nothing and longer than the last step', () => {
    const histogram = new DurationHistogram()
    expect(histogram.spread()).toEqual({ p50Ms: 0, p99Ms: 0, maxMs: 0 })
    histogram.add(0)
    expect(histogram.spread()).toEqual({ p50Ms: 0, p99Ms: 0, maxMs: 0 })
    histogram.add(1e9)
    expect(histogram.spread().maxMs).toBe(1e9)
  })
})

describe('bytes', () => {
  const long = Array.from({ length: 1_000 }, (_, index) => ({ role: 'user', content: `message ${index} `.repeat(20) }))
  test.each([
    [
      'a post',
      {
        type: 'post',
        post: 7,
        parts: [{ sessionId: 's_1', rev: 3, entries: [{ delta: 'stream', event: { delta: 'word '.repeat(40) } }] }],
      },
    ],
    ['a long list', { messages: long }],
    ['numbers', Array.from({ length: 100 }, (_, index) => index * 1.5)],
    ['bytes', { data: new Uint8Array(4_096) }],
  ])('%s: within half and twice of what is written', (_name, message) => {
    const ratio = estimateBytes(message) / serialize(message).byteLength
    expect(ratio > 0.5 && ratio < 2, String(ratio)).toBe(true)
  })

  test('Chinese is written with two bytes a character', () => {
    const message = { text: '退款按城市汇总，渠道见下表。'.repeat(300) }
    const ratio = estimateBytes(message) / serialize(message).byteLength
    expect(ratio > 0.95 && ratio < 1.05, String(ratio)).toBe(true)
  })

  test('a list of 100,000 costs no more looks than a short one', () => {
    let looks = 0
    const element = {
      get text(): string {
        looks += 1
        return 'x'
      },
    }
    estimateBytes({ list: Array.from({ length: 100_000 }, () => element) })
    expect(looks).toBe(32)
  })

  test('a ring ends', () => {
    const ring: Record<string, unknown> = {}
    ring['self'] = ring
    expect(estimateBytes(ring)).toBeGreaterThan(0)
  })
})

test.each([
  [{ sessionId: 's_a' }, 's_a'],
  [{ place: { sessionId: 's_b' } }, 's_b'],
  [{ partial: { sessionId: 's_c' } }, 's_c'],
  [{ events: [{ sessionId: 's_d' }] }, 's_d'],
  [{ request: { meta: { sessionId: 's_e' } } }, 's_e'],
  [{ workspace: '/x' }, undefined],
  [undefined, undefined],
  ['s_f', undefined],
])('the session of %j is %s', (input, session) => {
  expect(sessionOf(input)).toBe(session)
})
