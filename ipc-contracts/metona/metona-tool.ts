/** Tool calls and their results, as the internal API standard defines them. */
import * as z from 'zod'

export const MetonaToolCallSchema = z.object({
  /** Ours: `tc_` and at least ten of [0-9a-z]; unique over the whole session. */
  id: z.string().min(1),
  name: z.string(),
  args: z.record(z.string(), z.unknown()),
  /** The ReAct iteration that asked for it, from 1. */
  iteration: z.number().int().min(0),
  timestamp: z.number(),
  /** The provider's own id, sent back to that provider; `id` is used where it is absent. */
  providerCallId: z.string().optional(),
  /**
   * Set when the provider's arguments did not parse to an object: the call is never run, the model
   * gets a tool error, and this raw text goes to the log only. `args` is then `{}`.
   */
  invalidArguments: z.object({ raw: z.string(), reason: z.string() }).optional(),
})
export type MetonaToolCall = z.infer<typeof MetonaToolCallSchema>

export const MetonaToolResultSchema = z.object({
  toolCallId: z.string().min(1),
  toolName: z.string(),
  /** What the tool returned, bounded. */
  result: z.unknown(),
  /** Text for the model; when present the model sees it instead of `result`. */
  summary: z.string().optional(),
  success: z.boolean(),
  error: z.string().optional(),
  durationMs: z.number(),
  timestamp: z.number(),
})
export type MetonaToolResult = z.infer<typeof MetonaToolResultSchema>

/** What the model is told of a tool. `parameters` is a JSON schema of type object. */
export const MetonaToolDefSchema = z.object({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  description: z.string(),
  parameters: z.record(z.string(), z.unknown()),
})
export type MetonaToolDef = z.infer<typeof MetonaToolDefSchema>
