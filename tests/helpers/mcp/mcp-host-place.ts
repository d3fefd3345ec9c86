/** An MCP host with a real command host behind it, in folders of its own, and what a session would do with it. */
import { mkdir, mkdtemp, readdir, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { McpEntryInput } from './mcp-entry-input.ts'
import { McpOptionsSchema, type McpApproval, type McpOptions, type McpServerView } from '#contracts/tools/mcp-server.ts'
import { mcpOfferedName } from '#contracts/tools/mcp-offered-name.ts'
import { launchCommandHost, type LaunchedCommandHost } from '#main/command-host/launch.ts'
import { createCommandRunner, type CommandRunner } from '#workers/tools/commands/command-runner.ts'
import { createToolServices } from '#workers/tools/create-services.ts'
import type { RunContext, ToolOutput } from '#workers/tools/define-tool.ts'
import { McpHost } from '#workers/tools/mcp/mcp-host.ts'
import { findMcpTool } from '#workers/tools/mcp/mcp-tools.ts'
import type { McpSurroundings } from '#workers/tools/mcp/mcp-surroundings.ts'
import { createRedactor } from '#workers/shared/redact.ts'

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly ask?: RunContext['ask']
  readonly live?: RunContext['live']
  readonly sessionId?: string
  readonly sampling?: RunContext['sampling']
}

/** What came of a call: the text for the model, or the code of the failure. */
export interface Called {
  readonly text: string
  readonly code: string | undefined
  readonly output: ToolOutput | undefined
}

export interface McpHostPlace {
  readonly folder: string
  readonly workspace: string
  readonly host: McpHost
  /** Agrees to start it and to nothing else. */
  start(entry: McpEntryInput, options?: Partial<McpOptions>): Promise<McpServerView>
  /** Agrees to start it and to every tool it has. */
  approve(entry: McpEntryInput, options?: Partial<McpOptions>): Promise<McpServerView>
  view(name: string): Promise<McpServerView>
  /** Calls a tool as a turn does: prepared, and run only if that went well. */
  call(server: string, tool: string, args?: Record<string, unknown>, options?: CallOptions): Promise<Called>
  /** Names of the files that servers left, sorted. */
  effects(): Promise<string[]>
  stop(): Promise<void>
}

export async function makeMcpHostPlace(change: Partial<McpSurroundings> = {}): Promise<McpHostPlace> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'metona-mcp-')))
  const workspace = join(folder, 'ws')
  const left = join(folder, 'left')
  await Promise.all([mkdir(workspace), mkdir(left)])
  const commandHosts: LaunchedCommandHost[] = []
  const entry = new URL('../../../main/command-host/entry.ts', import.meta.url).pathname
  const commandHost = async (): Promise<LaunchedCommandHost> => {
    const launched = await launchCommandHost({ entry, execPath: process.execPath })
    commandHosts.push(launched)
    return launched
  }
  const commands: CommandRunner = createCommandRunner(commandHost)
  const services = createToolServices({ profile: join(folder, 'profile'), commandHost })
  const host = new McpHost({ ...services.mcp, commands, redactor: () => createRedactor([]), ...change })
  const approvals = new Map<string, McpApproval>()
  const entries = new Map<string, McpServerView['entry']>()
  const sync = (): void =>
    host.sync(
      workspace,
      [...entries.values()].map((known) => {
        const approval = approvals.get(known.id)
        return { entry: known, ...(approval === undefined ? {} : { approval }) }
      }),
      {},
      false,
    )

  const start = async (input: McpEntryInput, options: Partial<McpOptions> = {}): Promise<McpServerView> => {
    const known = { id: `mcp_${input.name}`, enabled: true, ...input }
    entries.set(known.id, known)
    approvals.set(known.id, {
      serverId: known.id,
      entry: known,
      launchHash: '',
      approvedAt: '',
      tools: [],
      permissions: {},
      offers: { resources: false, prompts: false },
      options: McpOptionsSchema.parse(options),
    })
    sync()
    return host.connect(workspace, known.id, false)
  }
  const view: McpHostPlace['view'] = async (name) => {
    const found = (await host.status(workspace)).find((server) => server.entry.name === name)
    if (found === undefined) throw new Error(`no server ${name}`)
    return found
  }

  return {
    folder,
    workspace,
    host,
    start,
    view,
    approve: async (input, options) => {
      const seen = await start(input, options)
      const approval = approvals.get(seen.entry.id)
      if (approval === undefined) throw new Error('not started')
      approvals.set(seen.entry.id, { ...approval, tools: seen.tools.filter(({ status }) => status !== 'rejected'), offers: seen.offers })
      sync()
      return view(input.name)
    },
    call: async (server, tool, args = {}, options = {}) => {
      const found = findMcpTool(host, workspace, tool.startsWith('mcp_') ? tool : mcpOfferedName(server, tool))
      if (found === undefined) return { text: '', code: 'UNKNOWN_TOOL', output: undefined }
      const bound = found.bind(args)
      if (!bound.ok) return { text: bound.problem, code: 'BAD_ARGUMENTS', output: undefined }
      const place = { workspace, sessionId: options.sessionId ?? 's_1', sandbox: 'off' as const }
      const context: RunContext = {
        place,
        callId: 'tc_1',
        services,
        signal: options.signal ?? new AbortController().signal,
        permit: undefined,
        answer: undefined,
        memory: undefined,
        sampling: options.sampling,
        live: options.live ?? (() => undefined),
        ask: options.ask ?? (() => Promise.resolve(undefined)),
      }
      try {
        await bound.prepare(context)
        const output = await bound.run(context)
        return { text: String(output.result), code: output.error === undefined ? undefined : 'TOOL_ERROR', output }
      } catch (error) {
        const { code, message } = error as { code?: unknown; message: string }
        return { text: message, code: typeof code === 'string' ? code : 'STOPPED', output: undefined }
      }
    },
    effects: async () => (await readdir(left)).filter((name) => !name.endsWith('.starts')).sort(),
    stop: async () => {
      await host.closeAll()
      commands.close()
      services.commands.close()
      await services.pool.close()
      await Promise.all(commandHosts.map((launched) => launched.stop()))
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
