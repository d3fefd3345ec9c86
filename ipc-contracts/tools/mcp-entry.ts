/** One MCP server as the workspace's database has it. Says what to start; whether it may start is decided in the profile. */
import * as z from 'zod'

export const McpServerEntrySchema = z.object({
  id: z.string(),
  name: z.string(),
  transport: z.enum(['stdio', 'sse', 'streamable_http']),
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  url: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  enabled: z.boolean(),
})
export type McpServerEntry = z.infer<typeof McpServerEntrySchema>
