/** The MCP servers of all open workspaces. Loaded with the first workspace that has one. */
import type { ElicitResult } from '@modelcontextprotocol/sdk/types.js'
import { mcpOfferedName } from '#contracts/tools/mcp-offered-name.ts'
import { isSameMcpLaunch } from '#contracts/tools/mcp-same-launch.ts'
import { McpOptionsSchema, type McpLogLine, type McpServerView, type McpTool } from '#contracts/tools/mcp-server.ts'
import type { McpConfigured } from '#contracts/tools/mcp-service-methods.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { unifiedDiff } from '../text/unified-diff.ts'
import { elicit, type Asker } from './elicitation.ts'
import { Sampler } from './sampling.ts'
import { launchHash, launchText } from './launch.ts'
import { isSameFiles, launchFiles } from './launch-files.ts'
import { McpFailure } from './mcp-failure.ts'
import type { McpSurroundings } from './mcp-surroundings.ts'
import { compareTools } from './review-tools.ts'
import { ServerConnection } from './server-connection.ts'

/** Values by entry id, then by name. */
type SecretsById = Readonly<Record<string, Readonly<Record<string, string>>>>

export interface HostedServer {
  configured: McpConfigured
  connection: ServerConnection
  /** Calls on their way, newest last: whoever the server asks something is one of them. */
  readonly askers: Asker[]
}

export class McpHost {
  readonly #surroundings: McpSurroundings
  readonly #workspaces = new Map<string, Map<string, HostedServer>>()

  constructor(surroundings: McpSurroundings) {
    this.#surroundings = surroundings
  }

  /** As `mcpSync`. Returns before servers that are ended are gone. */
  sync(workspace: string, servers: readonly McpConfigured[], secrets: SecretsById, connect: boolean): void {
    const hosted = this.#workspaces.get(workspace) ?? new Map<string, HostedServer>()
    this.#workspaces.set(workspace, hosted)
    for (const [id, server] of hosted)
      if (!servers.some(({ entry }) => entry.id === id)) {
        hosted.delete(id)
        void server.connection.close()
      }
    for (const configured of servers) {
      const before = hosted.get(configured.entry.id)
      const same = before !== undefined && this.#runsAs(before, configured, secrets)
      if (before !== undefined && !same) void before.connection.close()
      const server = before ?? this.#host(workspace, configured, secrets)
      server.configured = configured
      if (before !== undefined && !same) server.connection = this.#connection(workspace, server, secrets)
      hosted.set(configured.entry.id, server)
      if (connect && this.#mayRun(configured)) server.connection.connectLater()
    }
  }

  async status(workspace: string): Promise<McpServerView[]> {
    const servers = [...(this.#workspaces.get(workspace)?.values() ?? [])]
    return Promise.all(servers.map((server) => this.#view(server)))
  }

  /** @throws AppError MCP_NOT_FOUND, MCP_NOT_APPROVED */
  async connect(workspace: string, id: string, again: boolean): Promise<McpServerView> {
    const server = this.runnable(workspace, id)
    try {
      await (again ? server.connection.again() : server.connection.ensure())
    } catch (error) {
      // The view says why.
      if (!(error instanceof McpFailure)) throw error
    }
    return this.#view(server)
  }

  log(workspace: string, id: string, after: number): McpLogLine[] {
    return this.#workspaces.get(workspace)?.get(id)?.connection.log.after(after) ?? []
  }

  async close(workspace: string): Promise<void> {
    const servers = [...(this.#workspaces.get(workspace)?.values() ?? [])]
    this.#workspaces.delete(workspace)
    await Promise.all(servers.map(({ connection }) => connection.close()))
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#workspaces.keys()].map((workspace) => this.close(workspace)))
  }

  /** The server and the tool behind a name the model was offered, if they are still what was approved. */
  findTool(workspace: string, offeredName: string): { server: HostedServer; tool: McpTool } | undefined {
    for (const server of this.#workspaces.get(workspace)?.values() ?? []) {
      const tool = server.configured.approval?.tools.find(
        (known) => mcpOfferedName(server.configured.entry.name, known.name) === offeredName,
      )
      if (tool !== undefined) return { server, tool }
    }
    return undefined
  }

  serversOf(workspace: string): HostedServer[] {
    return [...(this.#workspaces.get(workspace)?.values() ?? [])]
  }

  isRunnable({ configured }: HostedServer): boolean {
    return this.#mayRun(configured)
  }

  /** @throws AppError MCP_NOT_FOUND, MCP_NOT_APPROVED */
  runnable(workspace: string, id: string): HostedServer {
    const server = this.#find(workspace, id)
    const { name } = server.configured.entry
    if (this.#mayRun(server.configured)) return server
    throw new AppError({ code: 'MCP_NOT_APPROVED', message: `${name} is switched off or not approved`, params: { name } })
  }

  findServer(workspace: string, name: string): HostedServer | undefined {
    return [...(this.#workspaces.get(workspace)?.values() ?? [])].find(({ configured }) => configured.entry.name === name)
  }

  /** @throws McpFailure NOT_APPROVED, OFF */
  requireRunnable({ configured }: HostedServer): void {
    if (!configured.entry.enabled) throw new McpFailure('OFF', `The MCP server ${configured.entry.name} is switched off.`)
    if (!this.#mayRun(configured))
      throw new McpFailure('NOT_APPROVED', `The MCP server ${configured.entry.name} has not been approved by the user as it is now.`)
  }

  /** The tool is, on the server as it runs, the one that was approved. @throws McpFailure NOT_APPROVED */
  requireUnchanged({ configured, connection }: HostedServer, tool: McpTool): void {
    if (!this.#surroundings.checkApproval) return
    const now = connection.catalog?.tools.find((known) => known.name === tool.name && !known.rejected)
    if (now?.hash === tool.hash) return
    throw new McpFailure(
      'NOT_APPROVED',
      now === undefined
        ? `The MCP server ${configured.entry.name} no longer has a tool ${tool.name}.`
        : `The tool ${tool.name} of the MCP server ${configured.entry.name} is not what the user approved: its description or arguments have changed. It was not called. The user can look at the change and approve it under MCP servers.`,
    )
  }

  #mayRun({ entry, approval }: McpConfigured): boolean {
    return entry.enabled && approval !== undefined && isSameMcpLaunch(entry, approval.entry)
  }

  #runsAs({ configured, connection }: HostedServer, next: McpConfigured, secrets: SecretsById): boolean {
    return (
      this.#mayRun(configured) === this.#mayRun(next) &&
      isSameMcpLaunch(configured.entry, next.entry) &&
      isSameFiles(configured.approval?.files, next.approval?.files) &&
      JSON.stringify(this.#options(configured)) === JSON.stringify(this.#options(next)) &&
      JSON.stringify(connection.start.secrets) === JSON.stringify(secretsOf(next, secrets))
    )
  }

  #options({ approval }: McpConfigured) {
    return approval?.options ?? McpOptionsSchema.parse({})
  }

  #host(workspace: string, configured: McpConfigured, secrets: SecretsById): HostedServer {
    const server = { configured, askers: [] } as unknown as HostedServer
    server.connection = this.#connection(workspace, server, secrets)
    return server
  }

  #connection(workspace: string, server: HostedServer, secrets: SecretsById): ServerConnection {
    const { entry } = server.configured
    const sampler = new Sampler(entry.name)
    return new ServerConnection({
      entry,
      options: this.#options(server.configured),
      workspace,
      files: server.configured.approval?.files ?? {},
      secrets: secretsOf(server.configured, secrets),
      surroundings: this.#surroundings,
      elicit: (request, signal): Promise<ElicitResult> => elicit(entry.name, request, server.askers, signal),
      sample: (request, signal) => sampler.sample(request, server.askers, signal),
    })
  }

  async #view({ configured, connection }: HostedServer): Promise<McpServerView> {
    const { entry, approval } = configured
    const files = await launchFiles(entry, connection.start.workspace)
    const launch = launchText(entry, files)
    const given = approval !== undefined && isSameMcpLaunch(entry, approval.entry) && isSameFiles(files, approval.files)
    const { catalog, failure, server, pid } = connection
    const diff =
      approval !== undefined && !given
        ? await unifiedDiff(entry.name, `${launchText(approval.entry, approval.files)}\n`, `${launch}\n`)
        : undefined
    return {
      entry,
      launch,
      launchHash: launchHash(entry, files),
      files,
      approval: approval === undefined ? 'missing' : given ? 'given' : 'changed',
      ...(diff === undefined ? {} : { launchDiff: diff.text }),
      state: connection.state,
      ...(failure === undefined || connection.state === 'ready'
        ? {}
        : { failure: { code: failure.code, message: failure.message, stderr: connection.log.lastStderr() } }),
      ...(connection.retryAt === undefined ? {} : { retryAt: connection.retryAt }),
      ...(server === undefined || connection.state !== 'ready' ? {} : { server }),
      ...(pid === undefined ? {} : { pid }),
      offers: catalog?.offers ?? approval?.offers ?? { resources: false, prompts: false },
      options: this.#options(configured),
      tools: await compareTools(entry.name, catalog?.tools, approval),
      ...(catalog === undefined ? {} : { toolsHash: catalog.toolsHash }),
    }
  }

  #find(workspace: string, id: string): HostedServer {
    const server = this.#workspaces.get(workspace)?.get(id)
    if (server === undefined) throw new AppError({ code: 'MCP_NOT_FOUND', message: `there is no MCP server ${id} here`, params: { id } })
    return server
  }
}

function secretsOf({ entry }: McpConfigured, secrets: SecretsById): Readonly<Record<string, string>> {
  return (Object.hasOwn(secrets, entry.id) ? secrets[entry.id] : undefined) ?? {}
}
