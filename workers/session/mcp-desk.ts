/** What this worker knows of the MCP servers of open workspaces: their entries, what the person approved, what the model is offered. */
import type { McpServerEntry } from '#contracts/tools/mcp-entry.ts'
import { mcpOfferedName } from '#contracts/tools/mcp-offered-name.ts'
import { isSameMcpLaunch } from '#contracts/tools/mcp-same-launch.ts'
import type { McpApproval, McpServerView } from '#contracts/tools/mcp-server.ts'
import type { McpConfigured } from '#contracts/tools/mcp-service-methods.ts'
import type { toolsService } from '#contracts/tools/tools-service.ts'
import type { ToolDescriptor } from '#contracts/tools/prepared-call.ts'
import type { ServiceClient } from '#contracts/wire/define-service.ts'
import { describeMcpAccess } from '#contracts/tools/mcp-access-tools.ts'
import { keep } from './keep.ts'
import { McpSecrets } from './mcp-secrets.ts'
import type { Services } from './services.ts'

type ToolsClient = ServiceClient<typeof toolsService>

/** More tools than this no provider takes well; the rest of a long list is left out, by name. */
const OFFERED_LIMIT = 200

export class McpDesk {
  readonly #services: Services
  readonly secrets: McpSecrets
  readonly #configured = new Map<string, Promise<McpConfigured[]>>()
  /** The last word to the tools worker, by workspace. */
  readonly #syncing = new Map<string, Promise<void>>()

  constructor(services: Services) {
    this.#services = services
    this.secrets = new McpSecrets(services)
  }

  /** The workspace must be open. */
  configured(workspace: string): Promise<McpConfigured[]> {
    let known = this.#configured.get(workspace)
    if (known === undefined) {
      known = this.#read(workspace)
      this.#configured.set(workspace, known)
      known.catch(() => this.#configured.delete(workspace))
    }
    return known
  }

  /**
   * The approved tools of the servers that are switched on, as they were approved: known without a server, the same bytes
   * in every request. Connecting begins beside; nothing here waits for a server.
   */
  async toolsFor(workspace: string): Promise<ToolDescriptor[]> {
    const usable = (await this.configured(workspace)).filter(isUsable)
    if (usable.length === 0) return []
    keep(this.#services, 'mcp', this.sync(workspace, true))
    const offered = usable.flatMap(({ entry, approval }) =>
      approval.tools
        .filter((tool) => approval.permissions[tool.name] !== 'deny')
        .map((tool): ToolDescriptor => ({
          definition: { name: mcpOfferedName(entry.name, tool.name), description: tool.description, parameters: tool.parameters },
          risk: 'execute',
          parallel: tool.hints.readOnly === true,
        })),
    )
    const access = describeMcpAccess({
      resources: usable.filter(({ approval }) => approval.offers.resources).map(({ entry }) => entry.name),
      prompts: usable.filter(({ approval }) => approval.offers.prompts).map(({ entry }) => entry.name),
    })
    return [...offered.slice(0, OFFERED_LIMIT), ...access]
  }

  /** Resolves when the tools worker knows the servers of this workspace. */
  async settled(workspace: string): Promise<void> {
    await this.#syncing.get(workspace)
  }

  /** Tells the tools worker what there is. With `connect`, approved servers are started beside. */
  sync(workspace: string, connect: boolean): Promise<void> {
    const told = this.#services.tools.client().then((client) => this.#tell(client, workspace, connect))
    this.#syncing.set(workspace, told)
    return told
  }

  /** After an entry or an approval changed: reads both anew, and passes them on. */
  async changed(workspace: string): Promise<void> {
    this.#configured.delete(workspace)
    await this.sync(workspace, this.#services.tools.started)
  }

  /** Approvals are gone, whoever's: servers that no longer have one are ended. */
  async approvalsRemoved(): Promise<void> {
    const known = [...this.#configured.keys()]
    this.#configured.clear()
    if (this.#services.tools.started) for (const workspace of known) await this.sync(workspace, false)
  }

  async views(workspace: string): Promise<McpServerView[]> {
    // Nothing configured is no reason to start a worker.
    if ((await this.configured(workspace)).length === 0) return []
    await this.sync(workspace, false)
    return (await (await this.#services.tools.client()).mcpStatus({ workspace })).servers
  }

  /** To a tools worker that has just started. A server that cannot be told is no reason to do without the worker. */
  async greet(client: ToolsClient): Promise<void> {
    for (const workspace of this.#syncing.keys()) {
      try {
        await this.#tell(client, workspace, true)
      } catch (thrown) {
        this.#services.context.log('warn', `mcp: ${String(thrown)}`)
      }
    }
  }

  /** Ends the servers of a workspace that is closed. */
  async close(workspace: string): Promise<void> {
    this.#configured.delete(workspace)
    if (this.#syncing.delete(workspace) && this.#services.tools.started) await (await this.#services.tools.client()).mcpClose({ workspace })
  }

  async #tell(client: ToolsClient, workspace: string, connect: boolean): Promise<void> {
    const servers = await this.configured(workspace)
    const entries: McpServerEntry[] = servers.filter(isUsable).map(({ entry }) => entry)
    await client.mcpSync({ workspace, servers, connect, secrets: await this.secrets.valuesFor(workspace, entries) })
  }

  async #read(workspace: string): Promise<McpConfigured[]> {
    const [{ servers }, { approvals }] = await Promise.all([
      this.#services.storage.ask((storage) => storage.mcpList({ workspace })),
      this.#services.storage.ask((storage) => storage.mcpApprovals({ workspace })),
    ])
    return servers
      .toSorted((left, right) => (left.name < right.name ? -1 : 1))
      .map((entry) => {
        const approval = approvals.find((candidate) => candidate.serverId === entry.id)
        return { entry, ...(approval === undefined ? {} : { approval }) }
      })
  }
}

function isUsable(server: McpConfigured): server is McpConfigured & { approval: McpApproval } {
  return server.entry.enabled && server.approval !== undefined && isSameMcpLaunch(server.entry, server.approval.entry)
}
