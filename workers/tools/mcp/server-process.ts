/** How a stdio server is started: program, arguments, environment, folder. */
import { randomUUID } from 'node:crypto'
import { access, constants } from 'node:fs/promises'
import { delimiter, resolve } from 'node:path'
import { commandEnvironment } from '../commands/command-environment.ts'
import type { McpServerEntry } from '#contracts/tools/mcp-entry.ts'
import { ToolError } from '../domain/tool-error.ts'
import type { CommandToWrap, WrappedCommand } from '../sandbox/sandbox.ts'
import { fillReferences } from './launch.ts'
import { McpFailure } from './mcp-failure.ts'
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
export async function serverProcess({ entry, secrets, workspace, surroundings, sandbox }: ServerProcessOptions): Promise<StdioStart> {
  const { environment } = surroundings
  const own = fillReferences(entry.env ?? {}, secrets, environment)
  const base = commandEnvironment(environment, await surroundings.searchPath(), workspace)
  for (const name of WITHHELD) delete base[name]
  const env = { ...base, ...own }
  const argv = [entry.command ?? '', ...(entry.args ?? [])]
  await requireProgram(argv[0] ?? '', env['PATH'] ?? '', workspace)
  // Of this start alone: what carries the mark is ended with it, and a successor may be up before that.
  const callId = `mcp_${randomUUID()}`
  if (sandbox) return { callId, verbatim: false, ...(await wrapped(surroundings, { workspace, argv, env })) }
  const started = process.platform === 'win32' ? await windowsArgv(argv, env, workspace) : { argv, verbatim: false }
  return { callId, ...started, cwd: workspace, env }
}

/** @throws McpFailure SANDBOX: nothing is started outside it instead. */
async function wrapped({ sandbox }: McpSurroundings, command: CommandToWrap): Promise<WrappedCommand> {
  try {
    return await sandbox.wrap(command)
  } catch (error) {
    throw error instanceof ToolError ? new McpFailure('SANDBOX', `It was to run in the sandbox: ${error.message}`) : error
  }
}

/** What starts it goes through another program, which would only say that it failed. @throws McpFailure NOT_FOUND */
async function requireProgram(command: string, searchPath: string, folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const places = command.includes('/') ? [folder] : searchPath.split(delimiter)
  for (const place of places) if (await mayRun(resolve(place, command))) return
  throw new McpFailure('NOT_FOUND', `${command} was not found, or may not be run. Is it installed, and in PATH?`)
}

function mayRun(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
