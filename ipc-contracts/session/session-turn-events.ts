/** Events of a turn: contexts, requests and answers, its ends, and what changes how the history is sent. */
import * as z from 'zod'
import { CompactionStateSchema } from '../context/compaction.ts'
import { MetonaMessageSchema, MetonaProviderStateSchema } from '../metona/metona-request.ts'
import { MetonaErrorSchema, MetonaFinishReasonSchema, MetonaUsageSchema } from '../metona/metona-response.ts'
import { MetonaThinkingSchema } from '../metona/metona-thinking.ts'
import { MetonaToolCallSchema } from '../metona/metona-tool.ts'
import { CostSchema } from './cost.ts'
import { EndReasonSchema } from './session-enums.ts'
import { define, iteration, memories } from './session-event-parts.ts'

export const turnEvents = [
  define('context_built', {
    tokens: z.number(),
    ratio: z.number(),
    iteration: iteration.optional(),
    budgetRatio: z.number().optional(),
    needsCompression: z.boolean().optional(),
    window: z.number().optional(),
    notes: z.array(z.string()).optional(),
    /** Text frozen with user messages by this build; kept so that a reload sends the same bytes. */
    turnContexts: z.array(z.object({ messageId: z.string(), turnContext: z.string() })).optional(),
    /** Those in `turnContexts`. */
    memories,
  }),
  define('iteration_start', { iteration }),
  define('llm_request', {
    iteration,
    provider: z.string(),
    model: z.string(),
    /** Only those new since the session's previous request. */
    messages: z.array(MetonaMessageSchema),
    requestId: z.string(),
    messageCount: z.number().int(),
    /** SHA-256 (hex) of the whole message list as sent to the adapter. */
    messagesHash: z.string(),
  }),
  define('llm_response', {
    iteration,
    content: z.string(),
    finishReason: MetonaFinishReasonSchema,
    usage: MetonaUsageSchema,
    requestId: z.string(),
    provider: z.string(),
    model: z.string(),
    messageId: z.string(),
    durationMs: z.number(),
    firstTokenMs: z.number().optional(),
    /** Time spent waiting for a place in the provider's queue. */
    queuedMs: z.number().optional(),
    thinking: MetonaThinkingSchema.optional(),
    toolCalls: z.array(MetonaToolCallSchema).optional(),
    providerState: MetonaProviderStateSchema.optional(),
    error: MetonaErrorSchema.optional(),
    cost: CostSchema.optional(),
    /** Taken over with a fork: paid for in the session it comes from. */ copied: z.literal(true).optional(),
  }),
  /** A request beside the conversation, paid for like any other: a summary, what to remember before one, an MCP server's wish. */
  define('side_request', {
    purpose: z.enum(['summary', 'memories', 'sampling']),
    provider: z.string(),
    model: z.string(),
    usage: MetonaUsageSchema,
    durationMs: z.number(),
    cost: CostSchema.optional(),
  }),
  define('iteration_end', { iteration, durationMs: z.number() }),
  define('turn_end', {
    reason: EndReasonSchema,
    iterations: z.number().int(),
    durationMs: z.number(),
    usage: MetonaUsageSchema.optional(),
    cost: CostSchema.optional(),
    error: MetonaErrorSchema.optional(),
    detail: z.string().optional(),
  }),
  /** The transcript stays; requests after it start from `summary` in place of what is before `upToSeq`. */
  define('compaction', {
    summary: z.string(),
    upToSeq: z.number().int(),
    tokensBefore: z.number(),
    tokensAfter: z.number(),
    method: z.enum(['model', 'digest', 'prune']),
    /** How the history is sent from here on. */ state: CompactionStateSchema.optional(),
  }),
  /** Later requests leave out what came after `toSeq` (retry, edit and resend); the transcript keeps it, marked as superseded. */
  define('rewind', { toSeq: z.number().int().min(0), reason: z.enum(['retry', 'edit']) }),
  /** What Stop found and ended. */
  define('stop_report', {
    socketClosedMs: z.number().optional(),
    processesFound: z.number(),
    processesKilled: z.number(),
    survivors: z.array(z.number()),
    committed: z.boolean(),
  }),
] as const
