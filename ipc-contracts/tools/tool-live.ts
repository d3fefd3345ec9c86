/** What a running call and whoever started it say to each other. */
import * as z from 'zod'
import { ApprovalReasonSchema } from './approval-reasons.ts'

/**
 * Posted on the call's port while it runs. A question is answered on the same port with `{ answer: { id, text } }`, without
 * `text` when the person passed over it or nobody is there. One that is withdrawn needs no answer any more.
 */
export const ToolLiveSchema = z.union([
  z.object({ output: z.string(), dropped: z.number().int().optional() }),
  z.object({
    question: z.object({
      id: z.number(),
      text: z.string(),
      options: z.array(z.string()).optional(),
      /** Yes or no to what `text` shows, and why it is asked; any text is a yes. */
      reason: ApprovalReasonSchema.optional(),
    }),
  }),
  z.object({ withdrawn: z.object({ id: z.number() }) }),
  z.object({ progress: z.object({ done: z.number(), total: z.number().optional(), unit: z.string() }) }),
])
export type ToolLive = z.infer<typeof ToolLiveSchema>

/** Of these, what is shown while the call runs. */
export type ToolShown = Exclude<ToolLive, { question: unknown } | { withdrawn: unknown }>

export const ToolAnswerSchema = z.object({ answer: z.object({ id: z.number(), text: z.string().optional() }) })
