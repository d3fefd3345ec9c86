/** Two honest token numbers: what was estimated and what the provider reported. */
import * as z from 'zod'
import { MetonaUsageSchema } from '../metona/metona-response.ts'

/** What one model's reports taught. Kept in the profile and given back to a new thread. */
export const ModelAccountSchema = z.object({
  provider: z.string(),
  model: z.string(),
  /** `exact:deepseek`, `scan:o200k` … */
  counter: z.string(),
  reports: z.number().int(),
  lastEstimated: z.number(),
  lastReported: z.number(),
  /** Tokens the provider adds to every request beyond what is counted. */
  offset: z.number(),
  /** Provider's tokens per counted token. */
  slope: z.number(),
  /** The tools that `offset` was learned with. */
  toolsSignature: z.string().optional(),
  /** Shares, (estimated − reported) / reported, newest last; the first report of each session is left out. */
  errors: z.array(z.number()).max(200),
})
export type ModelAccount = z.infer<typeof ModelAccountSchema>

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
  /** The model's account after a report that was used, to be stored. */
  account: ModelAccountSchema.optional(),
})
export type ReportOutput = z.infer<typeof ReportOutputSchema>

/** A message's exact count, as stored: valid for that message id and revision and for that counter alone. */
export const StoredCountSchema = z.object({
  messageId: z.string(),
  revision: z.number().int(),
  counter: z.string(),
  tokens: z.number().int(),
})
export type StoredCount = z.infer<typeof StoredCountSchema>
