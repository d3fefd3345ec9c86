/** A model's visible reasoning, as the internal API standard defines it. */
import * as z from 'zod'

export const MetonaThinkingSchema = z.object({
  content: z.string(),
  status: z.enum(['thinking', 'complete']),
  durationMs: z.number(),
  tokensUsed: z.number(),
})
export type MetonaThinking = z.infer<typeof MetonaThinkingSchema>
