/** What a request consists of, by our own count. */
import * as z from 'zod'

export const ContextPartsSchema = z.object({
  /** Files of the workspace and the app's own rules, as they are in the system prompt. */
  partitions: z.array(z.object({ name: z.string(), tokens: z.number() })),
  tools: z.object({ count: z.number().int(), tokens: z.number() }),
  history: z.object({
    messages: z.number().int(),
    user: z.number(),
    assistant: z.number(),
    toolResults: z.number(),
    /** What stands for messages that are no longer sent. */
    summary: z.number(),
  }),
  /** The whole as it was estimated for the last request, and the provider's own report where there was one. */
  estimated: z.number(),
  reported: z.number().optional(),
  /** Tokens of input before it is compacted, and what the model can hold. */
  budget: z.number(),
  window: z.number(),
  /** `exact:deepseek`, `scan:o200k` …: how it was counted. */
  counter: z.string(),
})
export type ContextParts = z.infer<typeof ContextPartsSchema>
