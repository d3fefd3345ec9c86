/** What the storage worker keeps of MCP servers: entries in the workspace, what the person agreed to in the profile. */
import * as z from 'zod'
import { McpServerEntrySchema } from '../tools/mcp-entry.ts'
import { McpApprovalSchema } from '../tools/mcp-server.ts'

const workspace = z.string()
const nothing = z.object({})
const method = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O, deadlineMs = 60_000) => ({ input, output, deadlineMs })

export const mcpMethods = {
  /** MCP entries of the workspace, as written there; whether one may run is decided by approvals in the profile. */
  mcpList: method(z.object({ workspace }), z.object({ servers: z.array(McpServerEntrySchema) })),
  /** Replaces the entry of the same `id`. */
  mcpSet: method(z.object({ workspace, server: McpServerEntrySchema }), nothing),
  mcpRemove: method(z.object({ workspace, id: z.string() }), z.object({ removed: z.boolean() })),
  /** What the person agreed to, by workspace and server; in the profile. */
  mcpApprovals: method(z.object({ workspace }), z.object({ approvals: z.array(McpApprovalSchema) })),
  mcpApprovalSet: method(z.object({ workspace, approval: McpApprovalSchema }), nothing),
  mcpApprovalRemove: method(z.object({ workspace, id: z.string() }), z.object({ removed: z.boolean() })),
}
