/** The tools worker: built-in tools for every session. */
import { toolsService } from '#contracts/tools/tools-service.ts'
import { expose } from '#contracts/wire/expose.ts'
import { startWorker } from '#workers/shared/start-worker.ts'
import { catalog } from './catalog/index.ts'
import { createToolServices } from './create-services.ts'
import { createToolsHandlers } from './service.ts'

startWorker((context) => {
  const services = createToolServices({ profile: context.data.profile, commandHost: () => context.commandHost() })
  const handlers = createToolsHandlers(catalog, services)
  return {
    onPeer: (_peer, port) => void expose(toolsService, handlers, port),
    stop: async () => {
      // Closing the connection ends every command that was started over it.
      services.commands.close()
      await services.pool.close()
    },
  }
})
