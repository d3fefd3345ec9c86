/** Heap of each worker. It bounds the JavaScript heap only: buffers and native memory are bounded where they are read. */
import type { ResourceLimits } from 'node:worker_threads'
import type { WorkerName } from '#contracts/wire/worker-lifecycle.ts'

export const WORKER_LIMITS: Readonly<Record<WorkerName, ResourceLimits>> = {
  session: { maxOldGenerationSizeMb: 1024 },
  llm: { maxOldGenerationSizeMb: 512 },
  tools: { maxOldGenerationSizeMb: 512 },
  storage: { maxOldGenerationSizeMb: 512 },
}
