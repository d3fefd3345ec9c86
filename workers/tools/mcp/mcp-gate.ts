/** The tools worker's door to MCP. Nothing of the protocol is loaded before a workspace has a server. */
import { MCP_GET_PROMPT, MCP_LIST, MCP_READ_RESOURCE } from '#contracts/tools/mcp-access-tools.ts'
import { MCP_PREFIX } from '#contracts/tools/mcp-offered-name.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import type { ServiceHandlers } from '#contracts/wire/define-service.ts'
import type { toolsService } from '#contracts/tools/tools-service.ts'
import type { Tool } from '../define-tool.ts'
import type { ToolServices } from '../tool-services.ts'
import type { McpHost } from './mcp-host.ts'

type McpHandlers = Pick<
  ServiceHandlers<typeof toolsService>,
  'mcpSync' | 'mcpStatus' | 'mcpConnect' | 'mcpLog' | 'mcpPrompts' | 'mcpGetPrompt' | 'mcpComplete' | 'mcpClose'
>

export interface McpGate {
  readonly handlers: McpHandlers
  /** @returns undefined for a name that is none of a server's. */
  find(workspace: string, name: string): Promise<Tool | undefined>
  /** Ends all servers. */
  close(): Promise<void>
}

const ACCESS = new Set([MCP_LIST, MCP_READ_RESOURCE, MCP_GET_PROMPT])

export function createMcpGate(services: ToolServices): McpGate {
  let host: Promise<McpHost> | undefined
  const open = (): Promise<McpHost> => {
    host ??= import('./mcp-host.ts').then(({ McpHost: Host }) => new Host({ ...services.mcp, redactor: () => services.secrets.redactor }))
    return host
  }
  const require = async (id: string): Promise<McpHost> => {
    if (host === undefined) throw new AppError({ code: 'MCP_NOT_FOUND', message: `there is no MCP server ${id} here`, params: { id } })
    return host
  }
  const prompts = () => import('./server-prompts.ts')
  return {
    handlers: {
      mcpSync: async ({ workspace, servers, connect, secrets }) => {
        if (host === undefined && servers.length === 0) return {}
        services.secrets.add(...Object.values(secrets).flatMap((own) => Object.entries(own).map(([name, value]) => ({ name, value }))))
        ;(await open()).sync(workspace, servers, secrets, connect)
        return {}
      },
      mcpStatus: async ({ workspace }) => ({ servers: host === undefined ? [] : await (await host).status(workspace) }),
      mcpConnect: async ({ workspace, id, again }) => (await require(id)).connect(workspace, id, again),
      mcpLog: async ({ workspace, id, after }) => ({ lines: host === undefined ? [] : (await host).log(workspace, id, after) }),
      mcpPrompts: async ({ workspace }) =>
        host === undefined ? { prompts: [] } : { prompts: await (await prompts()).listPrompts(await host, workspace) },
      mcpGetPrompt: async (order, { signal }) => (await prompts()).fillPrompt(await require(order.id), order, signal as AbortSignal),
      mcpComplete: async (order, { signal }) => ({
        values: await (await prompts()).completeArgument(await require(order.id), order, signal as AbortSignal),
      }),
      mcpClose: async ({ workspace }) => {
        await (await host)?.close(workspace)
        return {}
      },
    },
    find: async (workspace, name) => {
      if (host === undefined || !(name.startsWith(MCP_PREFIX) || ACCESS.has(name))) return undefined
      const { findMcpTool } = await import('./mcp-tools.ts')
      return findMcpTool(await host, workspace, name)
    },
    close: async () => (await host)?.closeAll(),
  }
}
