/** The name a server's tool has for the model: `mcp__server__tool`, at most 64 of [a-zA-Z0-9_-], as every provider takes it. */

export const MCP_PREFIX = 'mcp__'
/** Also of the tools that read resources and prompts. */
export const MCP_CALL_PREFIX = 'mcp_'
const LIMIT = 64
const SERVER_LIMIT = 24

/** The same names give the same result. What had to be changed or cut ends in a hash, so that two tools do not share a name. */
export function mcpOfferedName(server: string, tool: string): string {
  const head = `${MCP_PREFIX}${part(server, SERVER_LIMIT)}__`
  return head + part(tool, LIMIT - head.length)
}

function part(name: string, limit: number): string {
  const safe = name.replace(/[^a-zA-Z0-9_-]+/g, '_')
  // Two underscores separate the parts; inside one they would let a server speak for another.
  if (safe === name && safe.length <= limit && !safe.includes('__') && !/^_|_$/.test(safe) && safe !== '') return safe
  const mark = hash(name)
  return `${
    safe
      .replace(/_+/g, '_')
      .slice(0, limit - mark.length - 1)
      .replace(/^_|_$/g, '') || 'x'
  }-${mark}`
}

/** FNV-1a, 32 bits, as seven of [0-9a-z]. Keeps names apart; guards nothing. */
function hash(text: string): string {
  let value = 0x811c9dc5
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return value.toString(36).padStart(7, '0')
}
