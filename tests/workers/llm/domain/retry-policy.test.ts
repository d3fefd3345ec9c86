import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { MetonaError } from '#contracts/metona/metona-response.ts'
import { readRetryAfter, retryDelay } from '#workers/llm/domain/retry-policy.ts'

const error = (over: Partial<MetonaError> = {}): MetonaError => ({ code: 'model_overloaded', message: '', retryable: true, ...over })
const ask = (over: Partial<Parameters<typeof retryDelay>[0]> = {}) =>
  retryDelay({ error: error(), attempt: 1, visible: false, random: 0.5, ...over })

test('half a second, doubling, with a quarter of jitter either way', () => {
  expect([ask(), ask({ attempt: 2 }), ask({ random: 0 }), ask({ random: 0.999999 })]).toEqual([500, 1_000, 375, 625])
})

test('two repeats, not three', () => {
  expect(ask({ attempt: 3 })).toBeUndefined()
})

test('never after something was shown, never for what will not go away', () => {
  expect([ask({ visible: true }), ask({ error: error({ retryable: false }) })]).toEqual([undefined, undefined])
})

test('an unusable answer is asked for once more', () => {
  const unusable = error({ code: 'invalid_response' })
  expect([ask({ error: unusable }), ask({ error: unusable, attempt: 2 })]).toEqual([500, undefined])
})

test('the provider’s own wait wins, up to a minute', () => {
  expect([ask({ error: error({ retryAfterMs: 3_000 }) }), ask({ error: error({ retryAfterMs: 61_000 }) })]).toEqual([3_000, undefined])
})

test('the exact header goes before the other', () => {
  expect(readRetryAfter({ 'retry-after-ms': '1500', 'retry-after': '9' }, 0)).toBe(1_500)
})

test('whatever the header says, the wait is a number a timer can take, or none', () => {
  const check = fc.check(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.double().map(String),
        fc.integer().map(String),
        fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
      ),
      fc.integer({ min: 0, max: 2_000_000_000_000 }),
      (value, now) => {
        const wait = readRetryAfter({ 'retry-after': value }, now)
        return wait === undefined || (Number.isFinite(wait) && wait >= 0 && wait <= 86_400_000)
      },
    ),
  )
  expect(check.failed, JSON.stringify(check.counterexample)).toBe(false)
})
