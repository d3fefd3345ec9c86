/** The storage worker: the only thread that opens SQLite, logs and traces. */
import '#contracts/wire/interpret-schemas.ts'
import { expose } from '#contracts/wire/expose.ts'
import { storageService } from '#contracts/storage/storage-service.ts'
import { startWorker } from '#workers/shared/start-worker.ts'
import { storageHandlers } from './service.ts'
import { Workspaces } from './workspaces.ts'

startWorker((context) => {
  const workspaces = new Workspaces({
    profile: context.data.profile,
    environment: process.env,
    log: (message) => context.log('warn', message),
  })
  const handlers = storageHandlers(workspaces)
  return {
    onPeer: (_peer, port) => void expose(storageService, handlers, port),
    stop: () => workspaces.closeAll(),
  }
})
