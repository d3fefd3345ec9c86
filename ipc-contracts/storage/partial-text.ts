/** What is kept of an answer while it streams. */
import * as z from 'zod'

/** Streamed text not yet in an event, kept every 750 ms; outside the log and outside equality. */
export const PartialSchema = z.object({
  sessionId: z.string(),
  messageId: z.string(),
  turn: z.number(),
  iteration: z.number(),
  text: z.string(),
  thinking: z.string(),
  updatedAt: z.string(),
})
export type PartialText = z.infer<typeof PartialSchema>
