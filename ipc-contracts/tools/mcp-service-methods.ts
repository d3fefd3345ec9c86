/** The part of the tools service that deals with MCP servers. */
import * as z from 'zod'
import { McpServerEntrySchema } from './mcp-entry.ts'
import { promptMethods } from './mcp-prompt.ts'
import { McpApprovalSchema, McpLogLineSchema, McpServerViewSchema } from './mcp-server.ts'

const workspace = z.string()
const nothing = z.object({})
const method = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O, deadlineMs = 30_000) => ({ input, output, deadlineMs })

export const McpConfiguredSchema = z.object({ entry: McpServerEntrySchema, approval: McpApprovalSchema.optional() })
export type McpConfigured = z.infer<typeof McpConfiguredSchema>

/** Values by entry id, then by name. Both come from the folder: joined into one key, one entry could reach another's. */
const McpSecretsSchema = z.record(z.string(), z.record(z.string(), z.string()))

export const mcpServiceMethods = {
  /**
   * The servers of a workspace from now on. Those that are gone, disabled, changed or no longer approved are ended.
   * With `connect` the approved ones are connected beside whatever goes on; nothing waits for them.
   * `secrets` fills `${secret:NAME}` in environment and headers; the values are kept out of every log.
   */
  mcpSync: method(z.object({ workspace, servers: z.array(McpConfiguredSchema), connect: z.boolean(), secrets: McpSecretsSchema }), nothing),
  mcpStatus: method(z.object({ workspace }), z.object({ servers: z.array(McpServerViewSchema) })),
  /** Connects an approved server and waits until it is ready or has failed. `again`: ends a running one first. */
  mcpConnect: method(z.object({ workspace, id: z.string(), again: z.boolean() }), McpServerViewSchema, 90_000),
  /** Lines with a number above `after`, at most 500. */
  mcpLog: method(z.object({ workspace, id: z.string(), after: z.number().int() }), z.object({ lines: z.array(McpLogLineSchema) })),
  mcpPrompts: promptMethods.list,
  mcpGetPrompt: promptMethods.get,
  mcpComplete: promptMethods.complete,
  /** Ends all servers of a workspace. */
  mcpClose: method(z.object({ workspace }), nothing),
}
