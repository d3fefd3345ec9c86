/** What starting a server means, as text for a person and as values for a process or a request. */
import { createHash } from 'node:crypto'
import type { McpServerEntry } from '#contracts/tools/mcp-entry.ts'
import { mcpLaunchOf } from '#contracts/tools/mcp-same-launch.ts'
import { canonicalJson } from '../domain/canonical-json.ts'
import { visibleText } from '#workers/shared/visible-text.ts'
import { McpFailure } from './mcp-failure.ts'

/** Nothing is left out or cut: the person agrees to exactly this. One argument, variable or header a line. */
export function launchText(entry: McpServerEntry, files: Readonly<Record<string, string>> = {}): string {
  const lines =
    entry.transport === 'stdio'
      ? [[entry.command ?? '', ...(entry.args ?? [])].map(quote).join(' ')]
      : [`${entry.transport === 'sse' ? 'SSE' : 'HTTP'} ${entry.url ?? ''}`]
  for (const [name, value] of Object.entries(entry.env ?? {})) lines.push(`${quote(name)}=${quote(value)}`)
  for (const [name, value] of Object.entries(entry.headers ?? {})) lines.push(`${name}: ${value}`)
  for (const [path, hash] of Object.entries(files)) lines.push(`# ${path}: ${hash}`)
  return lines.map((line) => visibleText(line, false)).join('\n')
}

export function launchHash(entry: McpServerEntry, files: Readonly<Record<string, string>>): string {
  return createHash('sha256')
    .update(canonicalJson({ launch: mcpLaunchOf(entry), files }))
    .digest('hex')
}

/**
 * `${NAME}` becomes the variable of the app's environment, `${secret:NAME}` what the person gave for this server.
 * @param secrets of this server, by name. @throws McpFailure MISSING_VALUE
 */
export function fillReferences(
  values: Readonly<Record<string, string>>,
  secrets: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const fill = (text: string): string =>
    text.replace(/\$\{(?:(secret|env):)?([^}]+)\}/g, (_whole, kind: string | undefined, name: string) => {
      const value = kind === 'secret' ? (Object.hasOwn(secrets, name) ? secrets[name] : undefined) : environment[name]
      if (value === undefined)
        throw new McpFailure(
          'MISSING_VALUE',
          `${name} is not known here. Set it as an environment variable before starting, or give its value again.`,
        )
      return value
    })
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value)]))
}

function quote(word: string): string {
  return /^[\w@%+=:,./$\\-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
