/** Everything a client shows of a session. Made by folding events (`reduce-session`), on both sides alike. */
import * as z from 'zod'
import { MetonaErrorSchema, MetonaUsageSchema } from '../metona/metona-response.ts'
import { MetonaImageSchema } from '../metona/metona-request.ts'
import { MetonaThinkingSchema } from '../metona/metona-thinking.ts'
import { CostSchema } from './cost.ts'
import { EndReasonSchema, PermissionModeSchema, SessionStateSchema, TurnPhaseSchema } from './session-enums.ts'

export const ToolItemStatusSchema = z.enum(['proposed', 'awaiting_approval', 'running', 'done', 'failed', 'denied', 'aborted', 'unknown'])

export const TranscriptItemSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('user'),
    id: z.string(),
    turn: z.number(),
    seq: z.number(),
    at: z.string(),
    content: z.string(),
    images: z.array(MetonaImageSchema).optional(),
    steering: z.boolean().optional(),
    /** A rewind left it behind: no longer sent. */ superseded: z.boolean().optional(),
  }),
  z.object({
    kind: z.literal('assistant'),
    /** The messageId. */
    id: z.string(),
    turn: z.number(),
    iteration: z.number(),
    /** Absent while it streams. */
    seq: z.number().optional(),
    at: z.string(),
    text: z.string(),
    thinking: MetonaThinkingSchema.optional(),
    status: z.enum(['streaming', 'done', 'interrupted', 'failed']),
    model: z.string().optional(),
    usage: MetonaUsageSchema.optional(),
    cost: CostSchema.optional(),
    error: MetonaErrorSchema.optional(),
    superseded: z.boolean().optional(),
  }),
  z.object({
    kind: z.literal('tool'),
    /** The toolCallId. */
    id: z.string(),
    turn: z.number(),
    iteration: z.number(),
    name: z.string(),
    args: z.record(z.string(), z.unknown()),
    /** Raw argument text while the model still writes it. */
    argumentsText: z.string().optional(),
    status: ToolItemStatusSchema,
    startedAt: z.string().optional(),
    durationMs: z.number().optional(),
    /** The last 64 KiB of live output; replaced by the result. */
    liveOutput: z.string().optional(),
    progress: z.object({ done: z.number(), total: z.number().optional(), unit: z.string() }).optional(),
    summary: z.string().optional(),
    result: z.unknown().optional(),
    error: z.string().optional(),
    display: z.record(z.string(), z.unknown()).optional(),
    decision: z
      .object({
        decision: z.enum(['allow', 'deny']),
        by: z.string(),
        reason: z.string(),
        reasonParams: z.record(z.string(), z.string()).optional(),
        at: z.string(),
      })
      .optional(),
    superseded: z.boolean().optional(),
  }),
  z.object({
    kind: z.literal('notice'),
    id: z.string(),
    seq: z.number(),
    at: z.string(),
    superseded: z.boolean().optional(),
    level: z.enum(['info', 'error']),
    code: z.string(),
    message: z.string(),
    params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  }),
  z.object({
    kind: z.literal('turn_end'),
    id: z.string(),
    turn: z.number(),
    seq: z.number(),
    at: z.string(),
    reason: EndReasonSchema,
    iterations: z.number(),
    durationMs: z.number(),
    usage: MetonaUsageSchema.optional(),
    cost: CostSchema.optional(),
    error: MetonaErrorSchema.optional(),
    detail: z.string().optional(),
    superseded: z.boolean().optional(),
  }),
])
export type TranscriptItem = z.infer<typeof TranscriptItemSchema>

export const PendingApprovalSchema = z.object({
  toolCallId: z.string(),
  tool: z.string(),
  argumentsHash: z.string(),
  /** The whole command or diff, with control and look-alike characters made visible. */
  display: z.string(),
  diff: z.literal(true).optional(),
  risk: z.string(),
  reason: z.string(),
  reasonParams: z.record(z.string(), z.string()).optional(),
  grantPrefix: z.string().optional(),
  /** "For this session" covers all edits in this workspace. */
  sessionGrant: z.literal('edits').optional(),
  sandboxed: z.boolean().optional(),
  domains: z.array(z.string()).optional(),
  question: z.object({ text: z.string(), options: z.array(z.string()).optional() }).optional(),
  requestedAt: z.string(),
})
export type PendingApproval = z.infer<typeof PendingApprovalSchema>

export const SessionSnapshotSchema = z.object({
  sessionId: z.string(),
  workspace: z.string(),
  title: z.string(),
  model: z.string(),
  permission: PermissionModeSchema,
  sandbox: z.enum(['auto', 'off']),
  baseUrl: z.string().optional(),
  maxIterations: z.number().optional(),
  taskGoal: z.string().optional(),
  pinned: z.boolean(),
  archived: z.boolean(),
  ended: z.boolean(),
  state: SessionStateSchema,
  /** Since when, ISO. */
  since: z.string(),
  /** What it is doing, for the second line of a list row: a tool's name, a provider. */
  activity: z.string().optional(),
  phase: TurnPhaseSchema.optional(),
  turn: z.number().int(),
  iteration: z.number().int(),
  items: z.array(TranscriptItemSchema),
  /** So many items before the first one were left out; `session.items` has them. Absent: `items` is whole. */
  earlier: z.number().int().min(1).optional(),
  approvals: z.array(PendingApprovalSchema),
  queue: z.array(z.object({ messageId: z.string(), content: z.string(), steering: z.boolean() })),
  quota: z.object({ provider: z.string(), position: z.number().optional(), untilMs: z.number().optional() }).optional(),
  context: z
    .object({ tokens: z.number(), ratio: z.number(), window: z.number().optional(), needsCompression: z.boolean().optional() })
    .optional(),
  totals: z.object({ iterations: z.number(), usage: MetonaUsageSchema, costs: z.array(CostSchema), durationMs: z.number() }),
  /** -1 before the first event. */
  lastSeq: z.number().int(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type SessionSnapshot = z.infer<typeof SessionSnapshotSchema>

/** A list row. */
export const SessionSummarySchema = SessionSnapshotSchema.pick({
  sessionId: true,
  workspace: true,
  title: true,
  model: true,
  pinned: true,
  archived: true,
  state: true,
  since: true,
  activity: true,
  quota: true,
  turn: true,
  lastSeq: true,
  createdAt: true,
  updatedAt: true,
})
export type SessionSummary = z.infer<typeof SessionSummarySchema>
