/** What the llm worker does for the session worker: provider streams, model lists, diagnoses. */
import * as z from 'zod'
import { ThreadHealthSchema } from '../health/thread-health.ts'
import { MetonaModelInfoSchema } from '../metona/metona-adapter.ts'
import { MetonaRequestSchema } from '../metona/metona-request.ts'
import { MetonaResponseSchema, MetonaStreamEventSchema } from '../metona/metona-response.ts'
import { CostSchema } from '../session/cost.ts'
import { ModelOverrideSchema } from './model-overrides.ts'
import { DiagnosisSchema, ProviderDescriptorSchema } from './provider-descriptor.ts'
import { defineService } from '../wire/define-service.ts'
import type { Port } from '../wire/port.ts'

/** Where a request goes. Keys are looked up in the llm worker and never travel with a request. */
export const ModelTargetSchema = z.object({ provider: z.string(), model: z.string(), baseUrl: z.string().optional() })
export type ModelTarget = z.infer<typeof ModelTargetSchema>

/**
 * Posted on the stream port, oldest first, coalesced to one batch per 16 ms or 2 KB, flushed before any non-delta.
 * The port is closed after the last one. A receiver may post `{ pace: milliseconds }` back: the least time between two
 * batches of deltas from then on (16 at the start), more while nobody watches. It may post `LlmAck` back; from its first one on the socket is
 * not read while 64 posts are unacknowledged.
 */
export const LlmBatchSchema = z.union([
  z.object({ events: z.array(MetonaStreamEventSchema) }),
  z.object({
    queue: z.object({ provider: z.string(), position: z.number().int().optional(), untilMs: z.number().optional(), ended: z.boolean() }),
  }),
  z.object({ retry: z.object({ attempt: z.number().int(), reason: z.string(), delayMs: z.number() }) }),
])
export type LlmBatch = z.infer<typeof LlmBatchSchema>

/** How many posts of this stream have been taken, in all. */
export const LlmAckSchema = z.object({ ack: z.number().int() })
export type LlmAck = z.infer<typeof LlmAckSchema>

export const llmService = defineService({
  name: 'llm',
  methods: {
    /**
     * Waits for the provider's queue, streams, retries transparently before the first visible output.
     * Never fails for provider reasons: `finishReason: 'error'` says so. Cancel closes the socket at once.
     * The llm worker closes `port` after the last batch; the caller waits for that before it counts the answer.
     * `cost` is absent when the price is not known. `queuedMs`: time spent in the provider's queue.
     */
    stream: {
      input: z.object({ target: ModelTargetSchema, request: MetonaRequestSchema, port: z.custom<Port>() }),
      output: z.object({
        response: MetonaResponseSchema,
        cost: CostSchema.optional(),
        queuedMs: z.number(),
        socketClosedMs: z.number().optional(),
      }),
      deadlineMs: Infinity,
      transfer: ['port'],
    },
    listModels: {
      /** `baseUrls`: by provider, the person's own addresses. */
      input: z.object({ provider: z.string().optional(), live: z.boolean(), baseUrls: z.record(z.string(), z.string()).default({}) }),
      output: z.object({ models: z.array(MetonaModelInfoSchema), problems: z.array(DiagnosisSchema) }),
      deadlineMs: 60_000,
    },
    /** Window and capabilities of one model without a network call. `known` is false for a model that is in no table. */
    describeModel: {
      input: z.object({ target: ModelTargetSchema }),
      output: z.object({ model: MetonaModelInfoSchema, known: z.boolean() }),
      /** Longer than a stuck worker is left alone: a call that waits for its successor must not give up first. */
      deadlineMs: 30_000,
    },
    /** Every provider, or the named one alone: then no other's code is loaded. None when there is no such provider. */
    listProviders: {
      input: z.object({ provider: z.string().optional() }),
      output: z.object({ providers: z.array(ProviderDescriptorSchema) }),
      deadlineMs: 30_000,
    },
    diagnose: {
      input: z.object({ target: ModelTargetSchema.partial({ model: true }), apiKey: z.string().optional() }),
      output: DiagnosisSchema,
      deadlineMs: 60_000,
    },
    /** The person's own `models.json`. Errors as `models.setOverride` in commands. */
    readOverrides: { input: z.object({}), output: z.object({ overrides: z.record(z.string(), ModelOverrideSchema) }), deadlineMs: 30_000 },
    setOverride: {
      input: z.object({ model: z.string(), override: ModelOverrideSchema.nullable() }),
      output: z.object({}),
      deadlineMs: 30_000,
    },
    /** For this run; null removes it. */
    setKey: { input: z.object({ provider: z.string(), apiKey: z.string().nullable() }), output: z.object({}), deadlineMs: 5_000 },
    /** The person's own limits for a provider's queue, for this run; `null` takes the cap away, absent keeps what is. */
    setLimits: {
      input: z.object({
        provider: z.string(),
        concurrency: z.number().int().min(1).max(1_000).optional(),
        perMinute: z.number().int().min(1).nullable().optional(),
      }),
      output: z.object({}),
      deadlineMs: 5_000,
    },
    health: {
      input: z.object({}),
      output: z.object({ threadId: z.number(), streams: z.number(), queued: z.number(), thread: ThreadHealthSchema }),
      deadlineMs: 5_000,
    },
  },
})
