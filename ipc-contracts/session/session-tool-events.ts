/** Events of a tool call: the question about it, the answer, the committed intent, the outcome. */
import * as z from 'zod'
import { CallExposureSchema } from './call-exposure.ts'
import { approvalFields } from './pending-approval.ts'
import { DecisionMakerSchema, ToolOutcomeSchema } from './session-enums.ts'
import { define, iteration, memories } from './session-event-parts.ts'

export const toolEvents = [
  /** A question the person must answer; pending until `permission` with the same toolCallId. */
  define('permission_request', { iteration, ...approvalFields }),
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
] as const
