/** MCP servers as they are configured, approved and seen at work. Shared by the services that carry them. */
import * as z from 'zod'
import { McpServerEntrySchema } from './mcp-entry.ts'

/** What the person lets a tool do without being asked again: nothing (`ask`), anything (`allow`), or not even be offered (`deny`). */
export const McpPermissionSchema = z.enum(['ask', 'allow', 'deny'])
export type McpPermission = z.infer<typeof McpPermissionSchema>

/** What a server says of a tool's effects. A hint: it never widens what is allowed. */
export const McpHintsSchema = z.object({
  title: z.string().optional(),
  readOnly: z.boolean().optional(),
  destructive: z.boolean().optional(),
  openWorld: z.boolean().optional(),
})

/** A tool as it is offered to the model: repaired, bounded, invisible characters shown. `hash` covers all of it and what the server sent. */
export const McpToolSchema = z.object({
  name: z.string(),
  description: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  hints: McpHintsSchema,
  /** What was changed so that every provider takes the schema. */
  repairs: z.array(z.string()),
  hash: z.string(),
})
export type McpTool = z.infer<typeof McpToolSchema>

export const McpOffersSchema = z.object({ resources: z.boolean(), prompts: z.boolean() })

/** Switches of one server. What opens pages, or asks the model at the person's cost, is off until they turn it on. */
export const McpOptionsSchema = z.object({
  sandbox: z.boolean().default(false),
  urlElicitation: z.boolean().default(false),
  sampling: z.boolean().default(false),
})
export type McpOptions = z.infer<typeof McpOptionsSchema>

/** Files of the workspace that the command names, with a hash of what is in them. Absent: none. */
const McpLaunchFilesSchema = z.record(z.string(), z.string())

/** What the person agreed to; kept in the profile, never in the folder. */
export const McpApprovalSchema = z.object({
  serverId: z.string(),
  /** The entry as it was shown; `launchHash` is the hash of it and of `files`. */
  entry: McpServerEntrySchema,
  launchHash: z.string(),
  files: McpLaunchFilesSchema.optional(),
  approvedAt: z.string(),
  tools: z.array(McpToolSchema),
  permissions: z.record(z.string(), McpPermissionSchema),
  offers: McpOffersSchema,
  options: McpOptionsSchema,
})
export type McpApproval = z.infer<typeof McpApprovalSchema>

/** `off`: disabled, not approved, or not needed yet. `restarting`: waits for `retryAt`. `failed`: needs the person, or the next call. */
export const McpStateSchema = z.enum(['off', 'connecting', 'ready', 'failed', 'restarting'])
export type McpState = z.infer<typeof McpStateSchema>

/** `changed`, `new`: must be approved before it is offered (again). `removed`: approved, no longer there. `rejected`: unusable, see `reason`. */
export const McpToolViewSchema = McpToolSchema.extend({
  /** The name the model calls it by. */
  offeredAs: z.string(),
  status: z.enum(['approved', 'new', 'changed', 'removed', 'rejected']),
  reason: z.string().optional(),
  permission: McpPermissionSchema,
  /** Unified diff against what was approved, for `changed`. */
  diff: z.string().optional(),
})
export type McpToolView = z.infer<typeof McpToolViewSchema>

export const McpServerViewSchema = z.object({
  entry: McpServerEntrySchema,
  /** The exact command or address with everything it is given, untruncated, control characters visible. */
  launch: z.string(),
  launchHash: z.string(),
  files: McpLaunchFilesSchema.optional(),
  approval: z.enum(['missing', 'changed', 'given']),
  /** Unified diff of the launch against the approved one, for `changed`. */
  launchDiff: z.string().optional(),
  state: McpStateSchema,
  /** Why it is not ready, in one sentence; `code` names the kind of failure. */
  failure: z.object({ code: z.string(), message: z.string(), stderr: z.string() }).optional(),
  retryAt: z.number().optional(),
  server: z.object({ name: z.string(), version: z.string(), instructions: z.string() }).optional(),
  pid: z.number().optional(),
  offers: McpOffersSchema,
  options: McpOptionsSchema,
  tools: z.array(McpToolViewSchema),
  /** Hash over the tools that are there now; give it to `approve` to accept exactly these. Absent before the first connection. */
  toolsHash: z.string().optional(),
})
export type McpServerView = z.infer<typeof McpServerViewSchema>

export const McpLogLineSchema = z.object({
  number: z.number().int(),
  at: z.number(),
  source: z.enum(['stderr', 'server', 'app']),
  text: z.string(),
})
export type McpLogLine = z.infer<typeof McpLogLineSchema>
