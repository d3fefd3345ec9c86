/** How well one model's prompts are estimated, for people. */
import * as z from 'zod'
import type { ModelAccount } from './token-report.ts'

export const ModelTokenStatsSchema = z.object({
  provider: z.string(),
  model: z.string(),
  /** `exact:deepseek`, `scan:o200k` … */
  counter: z.string(),
  reports: z.number().int(),
  lastEstimated: z.number(),
  lastReported: z.number(),
  /** Shares of the reported number, not percent; over the last 200 reports, the first of each session left out. */
  meanError: z.number(),
  p95Error: z.number(),
  worstError: z.number(),
})
export type ModelTokenStats = z.infer<typeof ModelTokenStatsSchema>

export function tokenStatsOf({ provider, model, counter, reports, lastEstimated, lastReported, errors }: ModelAccount): ModelTokenStats {
  const sizes = errors.map(Math.abs).toSorted((left, right) => left - right)
  return {
    provider,
    model,
    counter,
    reports,
    lastEstimated,
    lastReported,
    meanError: sizes.length === 0 ? 0 : sizes.reduce((sum, value) => sum + value, 0) / sizes.length,
    p95Error: sizes[Math.min(sizes.length - 1, Math.ceil(sizes.length * 0.95) - 1)] ?? 0,
    worstError: sizes.at(-1) ?? 0,
  }
}
