/** Everything a client shows of a session. Made by folding events (`reduce-session`), on both sides alike. */
import * as z from 'zod'
import { MetonaUsageSchema } from '../metona/metona-response.ts'
import { CostSchema } from './cost.ts'
import { PendingApprovalSchema } from './pending-approval.ts'
import { PermissionModeSchema, SessionStateSchema, TurnPhaseSchema } from './session-enums.ts'
import { TranscriptItemSchema } from './transcript-item.ts'

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
