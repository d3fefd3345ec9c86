/** Whether and when an attempt is repeated without the person noticing. Pure: time and chance are arguments. */
import type { MetonaError } from '#contracts/metona/metona-response.ts'

export const retryLimits = {
  /** After the first attempt. */
  maxRetries: 2,
  firstDelayMs: 500,
  maxDelayMs: 8_000,
  /** A provider that asks for a longer wait is not waited for behind the person's back: the error says when. */
  maxRetryAfterMs: 60_000,
} as const

export interface RetryQuestion {
  readonly error: MetonaError
  /** 1 for the first. */
  readonly attempt: number
  /** The failed attempt showed something. */
  readonly visible: boolean
  /** In [0, 1). */
  readonly random: number
  readonly maxRetries?: number | undefined
}

/** @returns milliseconds to wait before the next attempt, or undefined: do not repeat. */
export function retryDelay(question: RetryQuestion): number | undefined {
  const { error, attempt, visible, random } = question
  if (visible || !error.retryable) return undefined
  // An unusable answer may be chance; twice is a pattern.
  const once = error.code === 'invalid_response' || error.code === 'parse_error'
  if (attempt > Math.min(question.maxRetries ?? retryLimits.maxRetries, once ? 1 : Infinity)) return undefined
  if (error.retryAfterMs !== undefined) return error.retryAfterMs > retryLimits.maxRetryAfterMs ? undefined : error.retryAfterMs
  const backoff = Math.min(retryLimits.firstDelayMs * 2 ** (attempt - 1), retryLimits.maxDelayMs)
  return Math.round(backoff * (0.75 + 0.5 * random))
}

/**
 * Reads `retry-after-ms`, then `retry-after` (seconds, fractions allowed, or an HTTP date).
 * @param now milliseconds since the epoch.
 * @returns milliseconds, never negative or NaN, at most a day; undefined when the value says nothing usable.
 */
export function readRetryAfter(headers: Readonly<Record<string, string | undefined>>, now: number): number | undefined {
  const exact = decimal(headers['retry-after-ms'])
  if (exact !== undefined) return Math.min(exact, DAY)
  const value = headers['retry-after']?.trim()
  if (value === undefined || value === '') return undefined
  const seconds = decimal(value)
  if (seconds !== undefined) return Math.min(seconds * 1000, DAY)
  // An HTTP date begins with the name of a day; anything else Date.parse would take is not one.
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(value)) return undefined
  const date = Date.parse(value)
  return Number.isNaN(date) || date <= now ? undefined : Math.min(date - now, DAY)
}

const DAY = 86_400_000

function decimal(value: string | undefined): number | undefined {
  return value !== undefined && /^\s*\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : undefined
}
