/** Money for one request. Pure: the time is an argument. */
import type { MetonaModelInfo, MetonaPricing, PeakHours } from '#contracts/metona/metona-adapter.ts'
import type { MetonaUsage } from '#contracts/metona/metona-response.ts'
import type { Cost } from '#contracts/session/cost.ts'

interface Prices {
  readonly inputPerMillion: number
  readonly outputPerMillion: number
  readonly cacheHitPerMillion?: number | undefined
  readonly cacheWritePerMillion?: number | undefined
  readonly cacheWriteLongPerMillion?: number | undefined
}

/** Prompt tokens of one request, split so that every token is in exactly one bucket. */
export interface PromptBuckets {
  readonly hit: number
  readonly miss: number
  readonly write: number
  /** Part of `write`. */
  readonly writeLong: number
}

/**
 * Splits the prompt. Adapters have already brought their provider's convention to ours (`inputTokens`
 * is everything, hits and writes included), so the miss bucket is the rest; a report that contradicts
 * itself is clamped, hits first, and never counts a token twice.
 */
export function promptBuckets(usage: MetonaUsage): PromptBuckets {
  const total = atLeastZero(usage.inputTokens)
  const hit = Math.min(atLeastZero(usage.cacheHitTokens), total)
  const write = Math.min(atLeastZero(usage.cacheWriteTokens), total - hit)
  return { hit, write, writeLong: Math.min(atLeastZero(usage.cacheWriteLongTokens), write), miss: total - hit - write }
}

/**
 * @param at when the request was sent, milliseconds since the epoch: decides peak prices.
 * @returns undefined when the model's price is not known.
 */
export function costOf(usage: MetonaUsage, model: Pick<MetonaModelInfo, 'pricing'>, at: number): Cost | undefined {
  const pricing = model.pricing
  if (pricing === undefined) return undefined
  const prices = pricesFor(pricing, usage, at)
  const buckets = promptBuckets(usage)
  const writeLong = prices.cacheWriteLongPerMillion ?? prices.cacheWritePerMillion
  const chargedAsInput =
    buckets.miss +
    (prices.cacheHitPerMillion === undefined ? buckets.hit : 0) +
    (prices.cacheWritePerMillion === undefined ? buckets.write - buckets.writeLong : 0) +
    (writeLong === undefined ? buckets.writeLong : 0)
  const cacheMiss = price(chargedAsInput, prices.inputPerMillion)
  const cacheHit = price(buckets.hit, prices.cacheHitPerMillion)
  const cacheWrite = price(buckets.write - buckets.writeLong, prices.cacheWritePerMillion) + price(buckets.writeLong, writeLong)
  const output = price(atLeastZero(usage.outputTokens), prices.outputPerMillion)
  return { currency: pricing.currency, cacheHit, cacheMiss, cacheWrite, output, total: cacheHit + cacheMiss + cacheWrite + output }
}

/** Whether `at` (milliseconds since the epoch) lies in the peak hours. */
export function isPeak(hours: PeakHours, at: number): boolean {
  const date = new Date(at)
  if (!hours.weekdays.includes(date.getUTCDay())) return false
  if (hours.exceptDays?.includes(date.toISOString().slice(0, 10))) return false
  const millisecondsOfDay = at - Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate())
  const hour = millisecondsOfDay / 3_600_000
  return hours.hours.some(([from, to]) => hour >= from && hour < to)
}

function pricesFor(pricing: MetonaPricing, usage: MetonaUsage, at: number): Prices {
  if (pricing.longPrompt !== undefined && usage.inputTokens > pricing.longPrompt.aboveInputTokens) return pricing.longPrompt
  if (pricing.peak !== undefined && pricing.peakHours !== undefined && isPeak(pricing.peakHours, at)) return pricing.peak
  return pricing
}

function price(tokens: number, perMillion: number | undefined): number {
  return perMillion === undefined ? 0 : (tokens * perMillion) / 1_000_000
}

function atLeastZero(tokens: number | undefined): number {
  return tokens === undefined || !(tokens > 0) ? 0 : tokens
}
