/** The session worker: sessions, turns, approvals, the order of events. Never CPU-bound. */
import '#contracts/wire/interpret-schemas.ts'
import { startWorker } from '#workers/shared/start-worker.ts'
import { createSessionService } from './service.ts'

startWorker(createSessionService)
