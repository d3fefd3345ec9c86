/** The context of one request before it is sent, as the internal API standard defines it. */
import * as z from 'zod'
import { MetonaMemoryItemSchema } from './metona-memory.ts'
import { MetonaMessageSchema, MetonaSystemPromptSchema } from './metona-request.ts'
import { MetonaToolDefSchema } from './metona-tool.ts'

export { MetonaSystemPromptSchema, type MetonaSystemPrompt } from './metona-request.ts'

export const MetonaContextSchema = z.object({
  id: z.string(),
  sessionId: z.string(),
  systemPrompt: MetonaSystemPromptSchema,
  history: z.array(MetonaMessageSchema),
  relevantMemories: z.array(MetonaMemoryItemSchema),
  currentTask: z.object({
    userInput: z.string(),
    iteration: z.number().int().min(0),
    taskGoal: z.string().optional(),
  }),
  availableTools: z.array(MetonaToolDefSchema),
  estimatedTokens: z.number(),
  /** estimatedTokens / context window. */
  usageRatio: z.number(),
  needsCompression: z.boolean(),
  /** Estimate over what really may be used (window less output reserve); triggers use this one. */
  budgetRatio: z.number().optional(),
})
export type MetonaContext = z.infer<typeof MetonaContextSchema>
