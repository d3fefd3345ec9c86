/** What can be looked at behind a session. Part of `commands`. */
import * as z from 'zod'
import { ContextPartsSchema } from '../context/context-parts.ts'
import { PendingApprovalSchema } from './pending-approval.ts'

const TraceSpanSchema = z.object({
  name: z.string(),
  /** context, queue, model, approval, tool; anything else is shown by its name. */
  kind: z.string(),
  /** Milliseconds since the epoch. */
  startedAt: z.number(),
  endedAt: z.number(),
  error: z.string().optional(),
})
export type TraceSpan = z.infer<typeof TraceSpanSchema>

const TraceSchema = z.object({
  /** The file in the workspace's `traces` folder. */
  file: z.string(),
  turn: z.number().int(),
  iteration: z.number().int(),
  startedAt: z.number(),
  endedAt: z.number(),
  spans: z.array(TraceSpanSchema),
})
export type Trace = z.infer<typeof TraceSchema>

const WaitingApprovalSchema = z.object({
  sessionId: z.string(),
  workspace: z.string(),
  title: z.string(),
  sandbox: z.enum(['auto', 'off']),
  approval: PendingApprovalSchema,
})
export type WaitingApproval = z.infer<typeof WaitingApprovalSchema>

export const inspectCommands = {
  /** The newest traces of a session, oldest first; one that cannot be read is left out. */
  'inspect.traces': {
    input: z.object({ workspace: z.string(), sessionId: z.string(), limit: z.number().int().min(1).max(200).default(50) }),
    output: z.object({ traces: z.array(TraceSchema) }),
    deadlineMs: 30_000,
  },
  /** What the next request consists of, by our own count; absent before the first request since the app started. */
  'inspect.context': {
    input: z.object({ sessionId: z.string() }),
    output: z.object({ parts: ContextPartsSchema.optional() }),
    deadlineMs: 30_000,
  },
  /** Every question that waits, of all sessions, oldest first. */
  'inspect.approvals': {
    input: z.object({}),
    output: z.object({ waiting: z.array(WaitingApprovalSchema) }),
    deadlineMs: 30_000,
  },
}
