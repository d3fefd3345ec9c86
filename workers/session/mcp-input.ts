/** MCP servers as people write them, turned into entries. Pure; secrets are taken out elsewhere. */
import * as z from 'zod'
import type { McpServerInput } from '#contracts/session/mcp-commands.ts'
import type { McpServerEntry } from '#contracts/tools/mcp-entry.ts'

export type CheckedServer = Omit<McpServerEntry, 'id'>

const CONTROL = /\p{Cc}/u

/** @returns the entry, or a sentence that says what is wrong. */
export function checkMcpServer(input: McpServerInput): CheckedServer | { readonly problem: string } {
  const name = input.name.trim()
  if (name === '' || CONTROL.test(name)) return { problem: 'the name must be ordinary text' }
  const command = input.command?.trim() ?? ''
  const url = input.url?.trim() ?? ''
  if ((command === '') === (url === '')) return { problem: 'give either a command or a URL' }
  const transport = input.transport ?? (command === '' ? 'streamable_http' : 'stdio')
  if ((transport === 'stdio') !== (command !== ''))
    return { problem: `${transport} goes with ${transport === 'stdio' ? 'a command' : 'a URL'}` }
  if (transport === 'stdio') {
    const words = [command, ...(input.args ?? []), ...Object.entries(input.env ?? {}).flat()]
    if (words.some((word) => word.includes('\0'))) return { problem: 'a NUL character cannot be given to a program' }
    if (Object.keys(input.env ?? {}).some((key) => key === '' || key.includes('=')))
      return { problem: 'an environment name is empty or has a =' }
    return { name, transport, command, args: input.args ?? [], ...(isEmpty(input.env) ? {} : { env: { ...input.env } }), enabled: true }
  }
  const address = URL.parse(url)
  if (address === null || (address.protocol !== 'http:' && address.protocol !== 'https:'))
    return { problem: 'the URL must begin with http:// or https://' }
  if (address.username !== '' || address.password !== '')
    return { problem: 'the URL holds a user name or password; give it as a header instead' }
  if (Object.entries(input.headers ?? {}).some(([key, value]) => !/^[\w!#$%&'*+.^`|~-]+$/.test(key) || /[\r\n\0]/.test(value)))
    return { problem: 'a header is not valid' }
  return { name, transport, url: address.href, ...(isEmpty(input.headers) ? {} : { headers: { ...input.headers } }), enabled: true }
}

const ImportedSchema = z.looseObject({
  command: z.string().optional(),
  args: z.array(z.union([z.string(), z.number()]).transform(String)).optional(),
  env: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String)).optional(),
  url: z.string().optional(),
  serverUrl: z.string().optional(),
  type: z.string().optional(),
  transport: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  disabled: z.boolean().optional(),
})

export interface ImportedServers {
  readonly servers: CheckedServer[]
  readonly problems: { name: string; reason: string }[]
}

/** `{"mcpServers": {name: {command, args, env} | {url, headers}}}`; `servers` and the bare map are taken too. */
export function readMcpServers(text: string): ImportedServers | { readonly problem: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
  const record = z.record(z.string(), z.unknown())
  const whole = record.safeParse(value)
  if (!whole.success) return { problem: 'it is no JSON object' }
  const map = record.safeParse(whole.data['mcpServers'] ?? whole.data['servers'] ?? whole.data)
  if (!map.success) return { problem: '`mcpServers` is no JSON object' }
  const servers: CheckedServer[] = []
  const problems: { name: string; reason: string }[] = []
  for (const [name, raw] of Object.entries(map.data)) {
    const parsed = ImportedSchema.safeParse(raw)
    const entry = parsed.success ? importOne(name, parsed.data) : { problem: z.prettifyError(parsed.error) }
    if ('problem' in entry) problems.push({ name, reason: entry.problem })
    else servers.push(entry)
  }
  return { servers, problems }
}

function importOne(name: string, raw: z.output<typeof ImportedSchema>): CheckedServer | { readonly problem: string } {
  const kind = raw.type ?? raw.transport
  const url = raw.url ?? raw.serverUrl
  const transport = kind === undefined ? undefined : TRANSPORTS[kind.toLowerCase().replace(/[^a-z]/g, '')]
  if (kind !== undefined && transport === undefined) return { problem: `the transport ${JSON.stringify(kind)} is not known` }
  const checked = checkMcpServer({
    name,
    ...(transport === undefined ? {} : { transport }),
    ...(raw.command === undefined ? {} : { command: raw.command }),
    ...(raw.args === undefined ? {} : { args: raw.args }),
    ...(url === undefined ? {} : { url }),
    ...(raw.env === undefined ? {} : { env: raw.env }),
    ...(raw.headers === undefined ? {} : { headers: raw.headers }),
  })
  return 'problem' in checked ? checked : { ...checked, enabled: raw.disabled !== true }
}

const TRANSPORTS: Readonly<Record<string, McpServerEntry['transport']>> = {
  stdio: 'stdio',
  sse: 'sse',
  http: 'streamable_http',
  streamablehttp: 'streamable_http',
}

function isEmpty(value: object | undefined): boolean {
  return value === undefined || Object.keys(value).length === 0
}
