/** How a stdio server is started: program, arguments, environment, folder. */
import { commandEnvironment } from '../commands/command-environment.ts'
import type { McpServerEntry } from '#contracts/tools/mcp-entry.ts'
import { fillReferences } from './launch.ts'
import type { McpSurroundings } from './mcp-surroundings.ts'
import type { StdioStart } from './stdio-transport.ts'
import { windowsArgv } from './windows-argv.ts'

export interface ServerProcessOptions {
  readonly entry: McpServerEntry
  readonly secrets: Readonly<Record<string, string>>
  readonly workspace: string
  readonly surroundings: McpSurroundings
  readonly sandbox: boolean
}

/** What a command is given and a server has no use for: it may sign in to nothing in the person's name. */
const WITHHELD = ['SSH_AUTH_SOCK']

/** @throws McpFailure MISSING_VALUE */
export async function serverProcess({ entry, secrets, workspace, surroundings }: ServerProcessOptions): Promise<StdioStart> {
  const { environment } = surroundings
  const own = fillReferences(entry.env ?? {}, entry.id, secrets, environment)
  const base = commandEnvironment(environment, await surroundings.searchPath(), workspace)
  for (const name of WITHHELD) delete base[name]
  const env = { ...base, ...own }
  const argv = [entry.command ?? '', ...(entry.args ?? [])]
  const started = process.platform === 'win32' ? await windowsArgv(argv, env, workspace) : { argv, verbatim: false }
  return { callId: `mcp_${entry.id}`, ...started, cwd: workspace, env }
}
