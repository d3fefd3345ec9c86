/** Compaction: what the context thread decides, what is stored of it, and the steps between it and the session worker. */
import * as z from 'zod'
import { MetonaRequestSchema } from '../metona/metona-request.ts'
import { MetonaFinishReasonSchema } from '../metona/metona-response.ts'

/**
 * How a history is sent after a compaction. Plain data: kept with the `compaction` event and given back with
 * a whole history, it makes the same bytes again. The transcript itself is never rewritten.
 * Places are indices into the history as the session worker sends it; the ids beside them are checked first.
 */
export const CompactionStateSchema = z.object({
  method: z.enum(['model', 'digest', 'prune']),
  /** The text that stands for everything before `keptFrom`; absent when nothing was cut. */
  summary: z.string().optional(),
  /** The newest summary a model wrote, by itself; a later digest takes it in. */
  core: z.string().optional(),
  keptFrom: z.number().int().min(0),
  keptFromId: z.string().optional(),
  /** The newest user message when it is before `keptFrom`: sent whole behind the summary. */
  pinned: z.number().int().min(0).optional(),
  /** Results of tools before this place are sent as a placeholder. */
  prunedBefore: z.number().int().min(0),
  /** Messages that had to be cut: most characters of each text, by message id. */
  shrunk: z.record(z.string(), z.number().int()),
  /** For the loop guard; a new user message resets it. */
  guard: z.object({ userMessages: z.number().int(), automatic: z.number().int(), endedHigh: z.number().int(), idle: z.number().int() }),
})
export type CompactionState = z.infer<typeof CompactionStateSchema>

/** What the session worker writes as a `compaction` event. */
export const CompactionRecordSchema = z.object({
  summary: z.string(),
  method: z.enum(['model', 'digest', 'prune']),
  /** The last message that is no longer sent as it is; absent when only results were pruned. */
  upToId: z.string().optional(),
  tokensBefore: z.number(),
  tokensAfter: z.number(),
  state: CompactionStateSchema,
})
export type CompactionRecord = z.infer<typeof CompactionRecordSchema>

/** A part of the request and its size, largest first: what a person can shorten. */
export const RequestPartSchema = z.object({ name: z.string(), tokens: z.number() })
export type RequestPart = z.infer<typeof RequestPartSchema>

export const IrreducibleSchema = z.object({
  /** For the person: what is too large and what to do. */
  message: z.string(),
  tokens: z.number(),
  limit: z.number(),
  parts: z.array(RequestPartSchema),
})
export type Irreducible = z.infer<typeof IrreducibleSchema>

export const PlanCompactionInputSchema = z.object({
  sessionId: z.string(),
  requestId: z.string(),
  /** automatic: `needsCompression` was true. manual: the person asked. overflow: the provider refused the last request as too long; no model is asked then. */
  reason: z.enum(['automatic', 'manual', 'overflow']),
  /** What the person wants the summary to keep in view. */
  instructions: z.string().optional(),
  /** Session state the model must still know afterwards (mode, approvals, plan), one line each. */
  carryOver: z.array(z.string()).optional(),
  now: z.number(),
})
export type PlanCompactionInput = z.infer<typeof PlanCompactionInputSchema>

/** The answer to the request of `ask_model`; `response` absent when it failed or was aborted. */
export const ApplySummaryInputSchema = z.object({
  sessionId: z.string(),
  planId: z.string(),
  response: z
    .object({ content: z.string(), finishReason: MetonaFinishReasonSchema, toolCalls: z.array(z.unknown()).optional() })
    .optional(),
})
export type ApplySummaryInput = z.infer<typeof ApplySummaryInputSchema>

/** Result of `planCompaction` and of `applySummary`. */
export const CompactionStepSchema = z.discriminatedUnion('kind', [
  /** Send `request`, then call `applySummary`. At most two of these follow each other. */
  z.object({
    kind: z.literal('ask_model'),
    planId: z.string(),
    mode: z.enum(['suffix', 'separate']),
    request: MetonaRequestSchema,
    tokensBefore: z.number(),
  }),
  /** In force from the next build on; to be committed as an event before it. */
  z.object({ kind: z.literal('applied'), record: CompactionRecordSchema, notes: z.array(z.string()) }),
  /** Nothing to gain; the history stays as it is. */
  z.object({ kind: z.literal('nothing'), message: z.string() }),
  /** The loop guard: compactions do not help any more. Only a new user message starts them again. */
  z.object({ kind: z.literal('stopped'), message: z.string() }),
  z.object({ kind: z.literal('irreducible'), ...IrreducibleSchema.shape }),
  z.object({ kind: z.literal('unknown_session') }),
])
export type CompactionStep = z.infer<typeof CompactionStepSchema>
