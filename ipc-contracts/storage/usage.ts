/** What models were used for and what it cost, by day, session and model. */
import * as z from 'zod'
import { CostSchema } from '../session/cost.ts'

export const UsageQuerySchema = z.object({
  /** The first instant that counts, ISO 8601; all there is without it. */
  from: z.string().optional(),
  /** Minutes east of UTC, by which a day begins where the person is. */
  offsetMinutes: z.number().int().min(-900).max(900).default(0),
})
export type UsageQuery = z.infer<typeof UsageQuerySchema>

/** All requests of one session to one model on one day, at prices of one currency or at none. */
export const UsageEntrySchema = z.object({
  workspace: z.string(),
  /** YYYY-MM-DD. */
  day: z.string(),
  sessionId: z.string(),
  title: z.string(),
  provider: z.string(),
  model: z.string(),
  requests: z.number().int(),
  /** Tokens as the provider reported them; what is from or for the cache is part of the input. */
  inputTokens: z.number(),
  cacheHitTokens: z.number(),
  cacheWriteTokens: z.number(),
  outputTokens: z.number(),
  /** Part of the output. */
  reasoningTokens: z.number(),
  /** Absent: the price of these requests is not known. */
  cost: CostSchema.optional(),
})
export type UsageEntry = z.infer<typeof UsageEntrySchema>
