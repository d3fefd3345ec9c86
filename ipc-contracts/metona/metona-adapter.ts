/** What a provider adapter is, as the internal API standard defines it. */
import * as z from 'zod'
import type { MetonaRequest } from './metona-request.ts'
import type { MetonaResponse, MetonaStreamEvent } from './metona-response.ts'

/** A window of the day in UTC hours, from the first inclusive to the second exclusive; fractions allowed. */
export const UtcHoursSchema = z.tuple([z.number().min(0).max(24), z.number().min(0).max(24)])

/** When a provider's peak prices hold. All in UTC. */
export const PeakHoursSchema = z.object({
  /** 0 is Sunday. */
  weekdays: z.array(z.number().int().min(0).max(6)),
  hours: z.array(UtcHoursSchema),
  /** Days without a peak although they are weekdays (public holidays), YYYY-MM-DD. */
  exceptDays: z.array(z.string()).optional(),
})
export type PeakHours = z.infer<typeof PeakHoursSchema>

/** Prices per million tokens. A price that is not known is absent, never 0. */
export const MetonaPricingSchema = z.object({
  inputPerMillion: z.number().nonnegative(),
  outputPerMillion: z.number().nonnegative(),
  /** ISO 4217, for example `USD`. */
  currency: z.string(),
  /** Absent: the provider has no such price, tokens of this kind are billed as ordinary input. */
  cacheHitPerMillion: z.number().nonnegative().optional(),
  /** As above. For the short-lived cache, where there are two. */
  cacheWritePerMillion: z.number().nonnegative().optional(),
  /** Written to the cache for the longer of two lifetimes. Absent: as `cacheWritePerMillion`. */
  cacheWriteLongPerMillion: z.number().nonnegative().optional(),
  /** Prices during the provider's peak hours, where it has them. */
  peak: z
    .object({
      inputPerMillion: z.number().nonnegative(),
      outputPerMillion: z.number().nonnegative(),
      cacheHitPerMillion: z.number().nonnegative().optional(),
    })
    .optional(),
  /** Goes with `peak`. */
  peakHours: PeakHoursSchema.optional(),
  /** A request with more prompt tokens than `aboveInputTokens` (cached ones included) costs these prices whole. */
  longPrompt: z
    .object({
      aboveInputTokens: z.number().int().positive(),
      inputPerMillion: z.number().nonnegative(),
      outputPerMillion: z.number().nonnegative(),
      cacheHitPerMillion: z.number().nonnegative().optional(),
      cacheWritePerMillion: z.number().nonnegative().optional(),
      cacheWriteLongPerMillion: z.number().nonnegative().optional(),
    })
    .optional(),
  /** Day on which these figures were read, YYYY-MM-DD. */
  asOf: z.string().optional(),
})
export type MetonaPricing = z.infer<typeof MetonaPricingSchema>

export const MetonaModelInfoSchema = z.object({
  id: z.string(),
  providerId: z.string(),
  displayName: z.string(),
  /** Tokens. */
  contextWindow: z.number(),
  /** Tokens. */
  maxOutput: z.number(),
  supportsStreaming: z.boolean(),
  supportsThinking: z.boolean(),
  supportsImages: z.boolean(),
  supportsToolCalling: z.boolean(),
  supportsStructuredOutput: z.boolean(),
  pricing: MetonaPricingSchema.optional(),
})
export type MetonaModelInfo = z.infer<typeof MetonaModelInfoSchema>

export interface SendOptions {
  /** Aborting closes the socket at once and ends the response with `aborted`. */
  signal?: AbortSignalLike
}

/** The part of AbortSignal that is used, so that contracts need neither DOM nor Node types. */
export interface AbortSignalLike {
  readonly aborted: boolean
  readonly reason?: unknown
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** Neither `send` nor `sendStream` rejects: failure is `finishReason: 'error'` and `error`. */
export interface IMetonaProviderAdapter {
  readonly providerId: string
  readonly supportedModels: string[]
  /** Tokens; a documented default for models it does not know. */
  getContextWindow(model: string): number
  healthCheck(): Promise<boolean>
  send(request: MetonaRequest, options?: SendOptions): Promise<MetonaResponse>
  sendStream(request: MetonaRequest, onEvent: (event: MetonaStreamEvent) => void, options?: SendOptions): Promise<MetonaResponse>
  listModels(): Promise<MetonaModelInfo[]>
}
