/**
 * The durable events of a session: one line of `logs/session_*.jsonl`, one row of `session_events`.
 * The first fields and their order are the architecture document's; ours follow after them.
 * This table is the only list of event kinds.
 */
import * as z from 'zod'
import { MetonaErrorSchema, MetonaFinishReasonSchema, MetonaUsageSchema } from '../metona/metona-response.ts'
import { MetonaImageSchema, MetonaMessageSchema, MetonaProviderStateSchema } from '../metona/metona-request.ts'
import { MetonaThinkingSchema } from '../metona/metona-thinking.ts'
import { MetonaToolCallSchema } from '../metona/metona-tool.ts'
import { CompactionStateSchema } from '../context/compaction.ts'
import { CallExposureSchema } from './call-exposure.ts'
import { CostSchema } from './cost.ts'
import { DecisionMakerSchema, EndReasonSchema, PermissionModeSchema, ToolOutcomeSchema } from './session-enums.ts'

const head = <const E extends string>(event: E) => ({
  /** Gapless from 0 within the session. */
  seq: z.number().int().min(0),
  /** ISO 8601 in UTC with milliseconds. Order is by `seq`, never by this. */
  ts: z.string(),
  event: z.literal(event),
  sessionId: z.string(),
})
/** `eventId` makes a repeated commit harmless. `turn` counts prompts from 1; absent outside a turn. */
const tail = { turn: z.number().int().min(1).optional(), eventId: z.string() }
const iteration = z.number().int().min(1)
const define = <const E extends string, const F extends z.ZodRawShape>(event: E, fields: F) =>
  z.object({ ...head(event), ...fields, ...tail })

const settings = {
  title: z.string().optional(),
  model: z.string().optional(),
  permission: PermissionModeSchema.optional(),
  sandbox: z.enum(['auto', 'off']).optional(),
  maxIterations: z.number().int().optional(),
  baseUrl: z.string().optional(),
  /** Made with a key of the profile over permission, sandbox and baseUrl as they are from here on; without it they are not believed. */
  seal: z.string().optional(),
  taskGoal: z.string().optional(),
  pinned: z.boolean().optional(),
  archived: z.boolean().optional(),
  forkedFrom: z.object({ sessionId: z.string(), seq: z.number().int() }).optional(),
}

/** Memories put before the model, each with why: how well it met the question, and by which words. */
export const RecalledMemoriesSchema = z.array(z.object({ id: z.string(), score: z.number(), words: z.array(z.string()) }))
const memories = RecalledMemoriesSchema.optional()

export const SessionEventSchema = z.discriminatedUnion('event', [
  define('session_start', { workspace: z.string(), ...settings, agentVersion: z.string() }),
  define('session_resumed', { workspace: z.string(), agentVersion: z.string() }),
  /** Title, model, mode … changed; only the changed fields are present. */
  define('session_updated', settings),
  define('user_message', {
    messageId: z.string(),
    content: z.string(),
    images: z.array(MetonaImageSchema).optional(),
    /** A message sent while a turn ran and folded into it between two iterations. */
    steering: z.boolean().optional(),
  }),
  /** Accepted while a turn ran; stays queued until a `user_message` with the same messageId, or `message_unqueued`. */
  define('message_queued', {
    messageId: z.string(),
    content: z.string(),
    images: z.array(MetonaImageSchema).optional(),
    steering: z.boolean(),
  }),
  define('message_unqueued', { messageId: z.string() }),
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
  /** A question the person must answer; pending until `permission` with the same toolCallId. */
  define('permission_request', {
    iteration,
    tool: z.string(),
    toolCallId: z.string(),
    argumentsHash: z.string(),
    display: z.string(),
    /** As `PreparedCallSchema` has it. */
    diff: z.literal(true).optional(),
    risk: z.string(),
    /** A code of `approval-reasons.ts`. */
    reason: z.string(),
    reasonParams: z.record(z.string(), z.string()).optional(),
    grantPrefix: z.string().optional(),
    sessionGrant: z.literal('edits').optional(),
    /** A command: whether it is to run in the sandbox. */
    sandboxed: z.boolean().optional(),
    /** The names it may reach from inside. */
    domains: z.array(z.string()).optional(),
    /** The call is a question of the model's: the person answers in words instead of allowing. */
    question: z.object({ text: z.string(), options: z.array(z.string()).optional() }).optional(),
  }),
  define('permission', {
    iteration,
    tool: z.string(),
    toolCallId: z.string(),
    decision: z.enum(['allow', 'deny']),
    by: DecisionMakerSchema,
    /** The person's own words, or a code of `approval-reasons.ts`. */
    reason: z.string(),
    reasonParams: z.record(z.string(), z.string()).optional(),
    scope: z.enum(['once', 'session', 'always']).optional(),
  }),
  /** The committed intent: written before the tool runs. */
  define('tool_call', {
    iteration,
    tool: z.string(),
    args: z.record(z.string(), z.unknown()),
    toolCallId: z.string(),
    exposes: CallExposureSchema.optional(),
  }),
  /** The outcome. `unknown` when a crash left an intent without one; it is never run again. */
  define('tool_result', {
    iteration,
    tool: z.string(),
    success: z.boolean(),
    durationMs: z.number(),
    result: z.unknown(),
    toolCallId: z.string(),
    outcome: ToolOutcomeSchema,
    summary: z.string().optional(),
    error: z.string().optional(),
    /** How the card shows it: a diff, a table, terminal output. Free of authority. */
    display: z.record(z.string(), z.unknown()).optional(),
    /** Those a search of the model's own brought up. */
    memories,
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
  define('error', { code: z.string(), message: z.string(), details: z.unknown().optional() }),
  /** Something the person should know that is not an error: a repaired log, a file cut to its limit. */
  define('notice', {
    code: z.string(),
    message: z.string(),
    params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  }),
  define('session_end', { totalIterations: z.number().int(), totalTokens: z.number(), totalDurationMs: z.number() }),
])
export type SessionEvent = z.infer<typeof SessionEventSchema>
export type SessionEventName = SessionEvent['event']
export type SessionEventOf<E extends SessionEventName> = Extract<SessionEvent, { event: E }>

/** What a producer supplies; the session worker adds seq, ts, sessionId and eventId. */
export type SessionEventDraft = {
  [E in SessionEventName]: Omit<SessionEventOf<E>, 'seq' | 'ts' | 'sessionId' | 'eventId'>
}[SessionEventName]
