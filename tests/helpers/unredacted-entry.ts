/** The session or storage worker with its redactor off: the control of the search for canaries. Nothing of the app loads this file. */
import { workerData } from 'node:worker_threads'
import type { WorkerData } from '#contracts/wire/worker-lifecycle.ts'
import { expose } from '#contracts/wire/expose.ts'
import { storageService } from '#contracts/storage/storage-service.ts'
import { noRedactor } from '#workers/shared/redact.ts'
import { startWorker } from '#workers/shared/start-worker.ts'

const { name } = workerData as WorkerData
if (name === 'session') {
  const { Secrets } = await import('#workers/shared/secrets.ts')
  Object.defineProperty(Secrets.prototype, 'redactor', { get: () => noRedactor })
  await import('#workers/session/entry.ts')
} else {
  const { storageHandlers } = await import('#workers/storage/service.ts')
  const { Workspaces } = await import('#workers/storage/workspaces.ts')
  startWorker((context) => {
    const workspaces = new Workspaces({ profile: context.data.profile, environment: process.env, redactor: noRedactor })
    const handlers = storageHandlers(workspaces)
    return { onPeer: (_peer, port) => void expose(storageService, handlers, port), stop: () => workspaces.closeAll() }
  })
}
