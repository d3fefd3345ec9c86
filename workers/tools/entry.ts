/** The tools worker: built-in tools for every session. */
import '#contracts/wire/interpret-schemas.ts'
import { toolsService } from '#contracts/tools/tools-service.ts'
import { expose } from '#contracts/wire/expose.ts'
import { createShellProxy } from '#workers/shared/shell-proxy.ts'
import { startWorker } from '#workers/shared/start-worker.ts'
import { catalog } from './catalog/index.ts'
import { createToolServices } from './create-services.ts'
import { createMcpGate } from './mcp/mcp-gate.ts'
import { createToolsHandlers } from './service.ts'

/** Servers may say goodbye; what is left of them ends with the command host's connection. */
const MCP_GOODBYE_MS = 1_200

startWorker((context) => {
  const services = createToolServices({
    profile: context.data.profile,
    agentVersion: context.data.agentVersion,
    commandHost: () => context.commandHost(),
    shellProxy: createShellProxy(context),
  })
  const mcp = createMcpGate(services)
  const handlers = createToolsHandlers(catalog, services, mcp)
  return {
    onPeer: (_peer, port) => void expose(toolsService, handlers, port),
    onPower: (state) => {
      // Whoever slept may have woken up in another network.
      if (state === 'resume') services.mcp.forgetProxies()
    },
    stop: async () => {
      await Promise.race([mcp.close(), new Promise((resolve) => setTimeout(resolve, MCP_GOODBYE_MS))])
      // Closing the connection ends every command that was started over it.
      services.commands.close()
      await services.pool.close()
    },
  }
})
