import { canonicalJson } from '../context/canonical-json.ts'
import type { McpServerEntry } from './mcp-entry.ts'

/** What of an entry the person agrees to: everything but whether it is switched on. */
export function mcpLaunchOf({ enabled: _enabled, ...launch }: McpServerEntry): Omit<McpServerEntry, 'enabled'> {
  return launch
}

/** The entry starts exactly what was approved. */
export function isSameMcpLaunch(left: McpServerEntry, right: McpServerEntry): boolean {
  return canonicalJson(mcpLaunchOf(left)) === canonicalJson(mcpLaunchOf(right))
}
