/** What a provider adapter is, as the internal API standard defines it. */
import * as z from 'zod'
import type { MetonaRequest } from './metona-request.ts'
import type { MetonaResponse, MetonaStreamEvent } from './metona-response.ts'

/** Prices per million tokens. A price that is not known is absent, never 0. */
export const MetonaPricingSchema = z.object({
  inputPerMillion: z.number(),
  outputPerMillion: z.number(),
  /** ISO 4217, for example `USD`. */
  currency: z.string(),
  cacheHitPerMillion: z.number().optional(),
  cacheWritePerMillion: z.number().optional(),
  /** Prices during the provider's peak hours, where it has them. */
  peak: z
    .object({ inputPerMillion: z.number(), outputPerMillion: z.number(), cacheHitPerMillion: z.number().optional() })
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
