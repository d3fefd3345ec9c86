/** A question about a tool call that waits for the person. */
import * as z from 'zod'

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
