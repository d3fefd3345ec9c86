/** Prompts that MCP servers offer, as the composer shows and fills them. Names and texts are the server's: made visible, never trusted. */
import * as z from 'zod'

export const McpPromptSchema = z.object({
  server: z.object({ id: z.string(), name: z.string() }),
  /** As the server calls it; `word` is what is typed after `/`, without spaces, and shows what hides in the names. */
  name: z.string(),
  word: z.string(),
  title: z.string(),
  description: z.string(),
  arguments: z.array(z.object({ name: z.string(), label: z.string(), description: z.string(), required: z.boolean() })),
})
export type McpPrompt = z.infer<typeof McpPromptSchema>

/** What a filled prompt says, message by message; what is no text is named in `leftOut`. */
export const McpPromptTextSchema = z.object({
  messages: z.array(z.object({ role: z.enum(['user', 'assistant']), text: z.string() })),
  leftOut: z.array(z.string()),
})
export type McpPromptText = z.infer<typeof McpPromptTextSchema>

const one = z.object({ workspace: z.string(), id: z.string(), prompt: z.string() })
const method = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O, deadlineMs: number) => ({ input, output, deadlineMs })

/** The same for clients and for the tools worker. Errors: `MCP_NOT_FOUND`, `MCP_NOT_APPROVED`, `MCP_PROMPT_FAILED`. */
export const promptMethods = {
  list: method(z.object({ workspace: z.string() }), z.object({ prompts: z.array(McpPromptSchema) }), 60_000),
  get: method(one.extend({ arguments: z.record(z.string(), z.string()) }), McpPromptTextSchema, 120_000),
  /** What the server suggests for an argument that is being typed; nothing where it suggests none. */
  complete: method(
    one.extend({ argument: z.string(), value: z.string(), arguments: z.record(z.string(), z.string()) }),
    z.object({ values: z.array(z.string()) }),
    15_000,
  ),
}
