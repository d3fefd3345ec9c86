/** Two honest token numbers: what was estimated and what the provider reported. */
import * as z from 'zod'
import { MetonaUsageSchema } from '../metona/metona-response.ts'

/** After each answer that carries usage. */
export const ReportInputSchema = z.object({ sessionId: z.string(), requestId: z.string(), usage: MetonaUsageSchema })
export type ReportInput = z.infer<typeof ReportInputSchema>

export const ReportOutputSchema = z.object({
  /** False when the request is not known or the provider's number cannot be the whole prompt. */
  used: z.boolean(),
  estimated: z.number(),
  reported: z.number(),
  /** (estimated − reported) / reported. */
  error: z.number(),
})
export type ReportOutput = z.infer<typeof ReportOutputSchema>

/** How well one model is estimated, since the thread started. */
export const ModelTokenStatsSchema = z.object({
  provider: z.string(),
  model: z.string(),
  /** `exact:deepseek`, `scan:o200k` … */
  counter: z.string(),
  reports: z.number().int(),
  lastEstimated: z.number(),
  lastReported: z.number(),
  /** Shares, not percent; over the last 200 reports, the first of each session left out. */
  meanError: z.number(),
  p95Error: z.number(),
  worstError: z.number(),
  offset: z.number(),
  slope: z.number(),
})
export type ModelTokenStats = z.infer<typeof ModelTokenStatsSchema>

/** A message's exact count, as stored: valid for that message id and revision and for that counter alone. */
export const StoredCountSchema = z.object({
  messageId: z.string(),
  revision: z.number().int(),
  counter: z.string(),
  tokens: z.number().int(),
})
export type StoredCount = z.infer<typeof StoredCountSchema>
