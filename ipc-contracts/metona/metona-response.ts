/** Responses, stream events, usage and errors, as the internal API standard defines them. */
import * as z from 'zod'
import { MetonaProviderStateSchema } from './metona-request.ts'
import { MetonaThinkingSchema } from './metona-thinking.ts'
import { MetonaToolCallSchema } from './metona-tool.ts'

export { MetonaThinkingSchema, type MetonaThinking } from './metona-thinking.ts'

export const MetonaErrorCode = {
  NETWORK_TIMEOUT: 'network_timeout',
  NETWORK_ERROR: 'network_error',
  AUTH_INVALID: 'auth_invalid',
  AUTH_EXPIRED: 'auth_expired',
  RATE_LIMITED: 'rate_limited',
  QUOTA_EXCEEDED: 'quota_exceeded',
  MODEL_OVERLOADED: 'model_overloaded',
  MODEL_NOT_FOUND: 'model_not_found',
  CONTEXT_LENGTH_EXCEEDED: 'context_length_exceeded',
  OUTPUT_LENGTH_EXCEEDED: 'output_length_exceeded',
  CONTENT_FILTERED: 'content_filtered',
  PARSE_ERROR: 'parse_error',
  INVALID_RESPONSE: 'invalid_response',
  MAX_ITERATIONS: 'max_iterations',
  USER_ABORTED: 'user_aborted',
  TIMEOUT: 'timeout',
  UNKNOWN: 'unknown',
} as const
export const MetonaErrorCodeSchema = z.enum(MetonaErrorCode)
export type MetonaErrorCode = z.infer<typeof MetonaErrorCodeSchema>

export const MetonaErrorSchema = z.object({
  code: MetonaErrorCodeSchema,
  /** A sentence a person can read. */
  message: z.string(),
  provider: z.string().optional(),
  /** The provider's own code, or one of ours such as `WORKER_LOST`. */
  providerCode: z.string().optional(),
  retryable: z.boolean(),
  /** How long to wait before a retry, in milliseconds. */
  retryAfterMs: z.number().optional(),
})
export type MetonaError = z.infer<typeof MetonaErrorSchema>

export const MetonaUsageSchema = z.object({
  /** All prompt tokens, cached ones included. */
  inputTokens: z.number(),
  /** All generated tokens, reasoning included. */
  outputTokens: z.number(),
  totalTokens: z.number(),
  cacheHitTokens: z.number().optional(),
  cacheMissTokens: z.number().optional(),
  /** Written to the provider's cache; part of `inputTokens`, billed at its own price where there is one. */
  cacheWriteTokens: z.number().optional(),
  /** The part of `cacheWriteTokens` kept for the longer of two lifetimes, where the provider has two. */
  cacheWriteLongTokens: z.number().optional(),
  reasoningTokens: z.number().optional(),
})
export type MetonaUsage = z.infer<typeof MetonaUsageSchema>

/** Something the person should know that did not fail the request. `code` and `params` choose the localised text. */
export const MetonaNoticeSchema = z.object({
  code: z.string(),
  message: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
})
export type MetonaNotice = z.infer<typeof MetonaNoticeSchema>

export const MetonaFinishReason = {
  STOP: 'stop',
  TOOL_CALLS: 'tool_calls',
  LENGTH: 'length',
  CONTENT_FILTER: 'content_filter',
  ERROR: 'error',
  ABORTED: 'aborted',
} as const
export const MetonaFinishReasonSchema = z.enum(MetonaFinishReason)
export type MetonaFinishReason = z.infer<typeof MetonaFinishReasonSchema>

export const MetonaResponseSchema = z.object({
  meta: z.object({
    requestId: z.string(),
    provider: z.string(),
    model: z.string(),
    latencyMs: z.number(),
    timestamp: z.number(),
    /** Milliseconds to the first byte of content; absent when none came. */
    firstTokenMs: z.number().optional(),
  }),
  content: z.string(),
  thinking: MetonaThinkingSchema.optional(),
  toolCalls: z.array(MetonaToolCallSchema).optional(),
  usage: MetonaUsageSchema,
  finishReason: MetonaFinishReasonSchema,
  /** Present exactly when `finishReason` is `error`, `aborted` or `content_filter`. Nothing is thrown. */
  error: MetonaErrorSchema.optional(),
  providerState: MetonaProviderStateSchema.optional(),
  /** For the person, beside a good answer: the prompt nearly fills the model's window, and the like. */
  notices: z.array(MetonaNoticeSchema).optional(),
})
export type MetonaResponse = z.infer<typeof MetonaResponseSchema>

/** One event of a stream. Order: thinking_* , text_delta, tool_call_*, usage, error?, done. `done` is always last. */
export const MetonaStreamEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('thinking_start') }),
  z.object({ type: z.literal('reasoning_delta'), delta: z.string() }),
  z.object({ type: z.literal('thinking_end'), thinking: MetonaThinkingSchema }),
  z.object({ type: z.literal('text_delta'), delta: z.string() }),
  z.object({ type: z.literal('tool_call_start'), toolCallId: z.string(), name: z.string() }),
  z.object({ type: z.literal('tool_call_delta'), toolCallId: z.string(), delta: z.string() }),
  z.object({ type: z.literal('tool_call_complete'), toolCall: MetonaToolCallSchema }),
  z.object({ type: z.literal('usage'), usage: MetonaUsageSchema }),
  z.object({ type: z.literal('error'), error: MetonaErrorSchema }),
  z.object({ type: z.literal('done'), finishReason: MetonaFinishReasonSchema }),
])
export type MetonaStreamEvent = z.infer<typeof MetonaStreamEventSchema>
