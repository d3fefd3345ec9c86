/** A question about a tool call that waits for the person. */
import * as z from 'zod'

/** What a question says, in its event and where it is shown; in this order in the log. */
export const approvalFields = {
  tool: z.string(),
  toolCallId: z.string(),
  argumentsHash: z.string(),
  /** The whole command or diff, with control and look-alike characters made visible. */
  display: z.string(),
  /** As `PreparedCallSchema` has it. */
  diff: z.literal(true).optional(),
  risk: z.string(),
  /** A code of `approval-reasons.ts`. */
  reason: z.string(),
  reasonParams: z.record(z.string(), z.string()).optional(),
  grantPrefix: z.string().optional(),
  /** "For this session" covers all edits in this workspace. */
  sessionGrant: z.literal('edits').optional(),
  /** A command: whether it is to run in the sandbox. */
  sandboxed: z.boolean().optional(),
  /** The names it may reach from inside. */
  domains: z.array(z.string()).optional(),
  /** The call is a question of the model's: the person answers in words instead of allowing. */
  question: z.object({ text: z.string(), options: z.array(z.string()).optional() }).optional(),
}

export const PendingApprovalSchema = z.object({ ...approvalFields, requestedAt: z.string() })
export type PendingApproval = z.infer<typeof PendingApprovalSchema>
