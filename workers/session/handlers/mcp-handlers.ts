/** MCP servers of a workspace: entries in the folder's database, approvals in the profile, processes in the tools worker. */
import type { McpServerEntry } from '#contracts/tools/mcp-entry.ts'
import type { McpApproval, McpServerView, McpTool, McpToolView } from '#contracts/tools/mcp-server.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { checkMcpServer, readMcpServers, type CheckedServer } from '../mcp-input.ts'
import { newId } from '../new-id.ts'
import type { HandlerParts, HandlersOf } from './create-handlers.ts'

export function mcpHandlers({ services, workspaces }: HandlerParts): HandlersOf<'mcp'> {
  const { mcp } = services
  const tools = () => services.tools.client()

  const find = async (workspace: string, id: string): Promise<{ entry: McpServerEntry; approval?: McpApproval | undefined }> => {
    await workspaces.open(workspace)
    const found = (await mcp.configured(workspace)).find(({ entry }) => entry.id === id)
    if (found === undefined) throw new AppError({ code: 'MCP_NOT_FOUND', message: `there is no MCP server ${id} here`, params: { id } })
    return found
  }
  const view = async (workspace: string, id: string): Promise<McpServerView> => {
    const found = (await mcp.views(workspace)).find(({ entry }) => entry.id === id)
    if (found === undefined) throw new AppError({ code: 'MCP_NOT_FOUND', message: `there is no MCP server ${id} here`, params: { id } })
    return found
  }
  const store = async (workspace: string, entry: McpServerEntry): Promise<McpServerEntry> => {
    const clean = await mcp.secrets.takeOut(workspace, entry)
    await (await workspaces.open(workspace)).mcpSet({ workspace, server: clean })
    return clean
  }
  const create = async (workspace: string, checked: CheckedServer): Promise<McpServerEntry> => {
    const known = await mcp.configured(workspace)
    if (known.some(({ entry }) => entry.name === checked.name))
      throw new AppError({ code: 'NAME_TAKEN', message: `there is an MCP server named ${checked.name}`, params: { name: checked.name } })
    return store(workspace, { id: newId('mcp'), ...checked })
  }
  const saveApproval = async (workspace: string, approval: McpApproval): Promise<void> => {
    await services.storage.ask((storage) => storage.mcpApprovalSet({ workspace, approval }))
    await mcp.changed(workspace)
  }
  /** An approval that starts nothing yet: the place for what the person set before they agreed to anything. */
  const approvalOf = async (workspace: string, id: string): Promise<McpApproval> => {
    const { entry, approval } = await find(workspace, id)
    if (approval !== undefined) return approval
    throw new AppError({ code: 'MCP_NOT_APPROVED', message: `${entry.name} is not approved yet`, params: { name: entry.name } })
  }

  return {
    'mcp.list': async ({ workspace }) => {
      await workspaces.open(workspace)
      return { servers: await mcp.views(workspace) }
    },
    'mcp.add': async ({ workspace, server }) => {
      await workspaces.open(workspace)
      const checked = checkMcpServer(server)
      if ('problem' in checked)
        throw new AppError({ code: 'MCP_BAD_SERVER', message: checked.problem, params: { name: server.name, reason: checked.problem } })
      const { id } = await create(workspace, checked)
      await mcp.changed(workspace)
      return view(workspace, id)
    },
    'mcp.remove': async ({ workspace, id }) => {
      await workspaces.open(workspace)
      // One that cannot be read is in no list, and goes all the same.
      const found = (await mcp.configured(workspace)).find(({ entry }) => entry.id === id)
      if (found !== undefined) await mcp.secrets.forget(workspace, found.entry)
      const { removed } = await (await workspaces.open(workspace)).mcpRemove({ workspace, id })
      await services.storage.ask((storage) => storage.mcpApprovalRemove({ workspace, id }))
      await mcp.changed(workspace)
      if (!removed) throw new AppError({ code: 'MCP_NOT_FOUND', message: `there is no MCP server ${id} here`, params: { id, name: id } })
      return { removed }
    },
    'mcp.enable': async ({ workspace, id, enabled }) => {
      const { entry } = await find(workspace, id)
      await (await workspaces.open(workspace)).mcpSet({ workspace, server: { ...entry, enabled } })
      await mcp.changed(workspace)
      return view(workspace, id)
    },
    'mcp.approve': async ({ workspace, id, launchHash, toolsHash }) => {
      const { entry, approval } = await find(workspace, id)
      const seen = await view(workspace, id)
      if (seen.launchHash !== launchHash || (toolsHash !== undefined && seen.toolsHash !== toolsHash))
        throw new AppError({
          code: 'MCP_CHANGED',
          message: `${entry.name} is not what was shown any more; nothing was approved`,
          params: { name: entry.name },
        })
      await saveApproval(workspace, {
        serverId: id,
        entry,
        launchHash,
        ...(seen.files === undefined ? {} : { files: seen.files }),
        approvedAt: new Date().toISOString(),
        tools: toolsHash === undefined ? (approval?.tools ?? []) : seen.tools.filter(isThere).map(toTool),
        permissions: approval?.permissions ?? {},
        offers: toolsHash === undefined ? (approval?.offers ?? { resources: false, prompts: false }) : seen.offers,
        options: seen.options,
      })
      if (toolsHash !== undefined || !entry.enabled) return view(workspace, id)
      return (await tools()).mcpConnect({ workspace, id, again: false })
    },
    'mcp.revoke': async ({ workspace, id }) => {
      await find(workspace, id)
      await services.storage.ask((storage) => storage.mcpApprovalRemove({ workspace, id }))
      await mcp.changed(workspace)
      return view(workspace, id)
    },
    'mcp.test': async ({ workspace, id }) => {
      const { entry } = await find(workspace, id)
      const seen = await view(workspace, id)
      if (seen.approval !== 'given')
        throw new AppError({ code: 'MCP_NOT_APPROVED', message: `${entry.name} is not approved`, params: { name: entry.name } })
      return (await tools()).mcpConnect({ workspace, id, again: seen.state !== 'ready' })
    },
    'mcp.log': async ({ workspace, id, after }) => {
      if (!services.tools.started) return { lines: [] }
      return (await tools()).mcpLog({ workspace, id, after })
    },
    'mcp.import': async ({ workspace, json }) => {
      await workspaces.open(workspace)
      const read = readMcpServers(json)
      if ('problem' in read) throw new AppError({ code: 'MCP_BAD_IMPORT', message: read.problem, params: { reason: read.problem } })
      const added: McpServerEntry[] = []
      const problems = [...read.problems]
      for (const server of read.servers) {
        try {
          added.push(await create(workspace, server))
        } catch (thrown) {
          if (!(thrown instanceof AppError)) throw thrown
          problems.push({ name: server.name, reason: thrown.message })
        }
        await mcp.changed(workspace)
      }
      return { added, problems }
    },
    'mcp.prompts': async ({ workspace }) => {
      await workspaces.open(workspace)
      // No approved server that offers any is no reason to start a worker.
      if (!(await mcp.configured(workspace)).some(({ entry, approval }) => entry.enabled && approval?.offers.prompts === true))
        return { prompts: [] }
      await mcp.sync(workspace, true)
      return (await tools()).mcpPrompts({ workspace })
    },
    'mcp.getPrompt': async (order, { signal }) => {
      await find(order.workspace, order.id)
      return (await tools()).mcpGetPrompt(order, { signal })
    },
    'mcp.complete': async (order, { signal }) => {
      await find(order.workspace, order.id)
      return (await tools()).mcpComplete(order, { signal })
    },
    'mcp.setTool': async ({ workspace, id, tool, permission }) => {
      const approval = await approvalOf(workspace, id)
      if (!approval.tools.some((known) => known.name === tool))
        throw new AppError({ code: 'MCP_UNKNOWN_TOOL', message: `${tool} is no approved tool of this server`, params: { tool } })
      await saveApproval(workspace, { ...approval, permissions: { ...approval.permissions, [tool]: permission } })
      return view(workspace, id)
    },
    'mcp.setOptions': async ({ workspace, id, options }) => {
      const approval = await approvalOf(workspace, id)
      const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
      await saveApproval(workspace, { ...approval, options: { ...approval.options, ...given } })
      return view(workspace, id)
    },
  }
}

function isThere(tool: McpToolView): boolean {
  return tool.status !== 'removed' && tool.status !== 'rejected'
}

function toTool({ name, description, parameters, hints, repairs, hash }: McpToolView): McpTool {
  return { name, description, parameters, hints, repairs, hash }
}
