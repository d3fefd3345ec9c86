/** MetonaMemoryItem: one remembered fact, as the internal API standard defines it. */
import * as z from 'zod'

export const MetonaMemoryItemSchema = z.object({
  id: z.string(),
  type: z.enum(['episodic', 'semantic', 'working']),
  /** What the model reads. */
  content: z.string(),
  /** Short form, used instead of `content` when the budget is tight. */
  summary: z.string().optional(),
  /**
   * Who it comes from: the person (page, terminal), the model (`remember`, and before a summary), a file that was imported.
   * `tool_result` is the standard's; nothing is remembered from a result without the model.
   */
  source: z.enum(['user_input', 'tool_result', 'agent_thought', 'imported']),
  /** 0 to 1. */
  importance: z.number().min(0).max(1),
  /** Only present on items returned by a search. */
  relevanceScore: z.number().optional(),
  sessionId: z.string().optional(),
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
  expiresAt: z.number().optional(),
})

export type MetonaMemoryItem = z.infer<typeof MetonaMemoryItemSchema>
