/** Brings every provider's token report to one convention: `inputTokens` is the whole prompt, parts are parts of it. */
import type { MetonaUsage } from '#contracts/metona/metona-response.ts'

export interface UsageReport {
  /** The whole prompt, cached and written tokens included. */
  readonly input: unknown
  /** Everything generated, reasoning included. */
  readonly output: unknown
  readonly total?: unknown
  readonly cacheHit?: unknown
  readonly cacheMiss?: unknown
  readonly cacheWrite?: unknown
  readonly cacheWriteLong?: unknown
  readonly reasoning?: unknown
}

export const noUsage: MetonaUsage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }

/** Values that are no counts (absent, null, negative, NaN, text) are left out; a missing total is the sum. */
export function normaliseUsage(report: UsageReport): MetonaUsage {
  const inputTokens = count(report.input) ?? 0
  const outputTokens = count(report.output) ?? 0
  const usage: MetonaUsage = { inputTokens, outputTokens, totalTokens: count(report.total) ?? inputTokens + outputTokens }
  const parts: [keyof MetonaUsage, unknown][] = [
    ['cacheHitTokens', report.cacheHit],
    ['cacheMissTokens', report.cacheMiss],
    ['cacheWriteTokens', report.cacheWrite],
    ['cacheWriteLongTokens', report.cacheWriteLong],
    ['reasoningTokens', report.reasoning],
  ]
  for (const [name, value] of parts) {
    const tokens = count(value)
    if (tokens !== undefined) usage[name] = tokens
  }
  return usage
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined
}
