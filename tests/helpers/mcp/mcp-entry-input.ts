import type { McpServerEntry } from '#contracts/tools/mcp-entry.ts'

/** An entry as a test writes it. */
export type McpEntryInput = Pick<McpServerEntry, 'name' | 'transport' | 'command' | 'args' | 'url' | 'env'>
