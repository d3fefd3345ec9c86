/** What clients do with MCP servers. Everything is bound to an open workspace. */
import * as z from 'zod'
import { McpServerEntrySchema } from '../tools/mcp-entry.ts'
import { promptMethods } from '../tools/mcp-prompt.ts'
import { McpLogLineSchema, McpOptionsSchema, McpPermissionSchema, McpServerViewSchema } from '../tools/mcp-server.ts'

const server = z.object({ workspace: z.string(), id: z.string() })
const method = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O, deadlineMs = 30_000) => ({ input, output, deadlineMs })

/** As typed: a command with arguments, or a URL. Without `transport` it follows from which of the two is there. */
export const McpServerInputSchema = z.object({
  name: z.string().min(1).max(64),
  transport: z.enum(['stdio', 'sse', 'streamable_http']).optional(),
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  url: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
  headers: z.record(z.string(), z.string()).optional(),
})
export type McpServerInput = z.infer<typeof McpServerInputSchema>

export const mcpCommands = {
  /** Entries with their live state. Starts nothing. */
  'mcp.list': method(z.object({ workspace: z.string() }), z.object({ servers: z.array(McpServerViewSchema) })),
  /** Errors: `NAME_TAKEN`, `MCP_BAD_SERVER`. The new entry is not approved. Values that look secret go to the secret store. */
  'mcp.add': method(z.object({ workspace: z.string(), server: McpServerInputSchema }), McpServerViewSchema),
  /** Ends it and forgets entry, approval and secrets. */
  'mcp.remove': method(server, z.object({ removed: z.boolean() })),
  'mcp.enable': method(server.extend({ enabled: z.boolean() }), McpServerViewSchema),
  /**
   * Agrees to start exactly what was shown (`launchHash`), or, once it is connected, to offer exactly the tools that
   * were shown (`toolsHash`). Error: `MCP_CHANGED` when it is no longer what was shown; look again.
   * Answers when the server is ready or has failed.
   */
  'mcp.approve': method(server.extend({ launchHash: z.string(), toolsHash: z.string().optional() }), McpServerViewSchema, 90_000),
  /** Takes the approval back and ends the server. */
  'mcp.revoke': method(server, McpServerViewSchema),
  /** Connects (again) and answers when it is ready or has failed. Error: `MCP_NOT_APPROVED`. */
  'mcp.test': method(server, McpServerViewSchema, 90_000),
  'mcp.log': method(server.extend({ after: z.number().int().default(0) }), z.object({ lines: z.array(McpLogLineSchema) })),
  /** Text with an `mcpServers` object as other programs write it. What cannot be taken over is named with a reason. */
  'mcp.import': method(
    z.object({ workspace: z.string(), json: z.string().max(1_000_000) }),
    z.object({ added: z.array(McpServerEntrySchema), problems: z.array(z.object({ name: z.string(), reason: z.string() })) }),
  ),
  /** Of the approved servers; those that are not up yet are started for it. */
  'mcp.prompts': promptMethods.list,
  'mcp.getPrompt': promptMethods.get,
  'mcp.complete': promptMethods.complete,
  /** `tool` is the server's own name of it. Error: `MCP_UNKNOWN_TOOL`. */
  'mcp.setTool': method(server.extend({ tool: z.string(), permission: McpPermissionSchema }), McpServerViewSchema),
  'mcp.setOptions': method(server.extend({ options: McpOptionsSchema.partial() }), McpServerViewSchema),
}
