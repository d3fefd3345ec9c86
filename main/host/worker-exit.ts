/** Why a worker is gone, as data for logs, health and the person. */
import type { WorkerName } from '#contracts/wire/worker-lifecycle.ts'
import { AppError } from '#contracts/wire/app-error.ts'

export type WorkerExitReason = 'exited' | 'threw' | 'out_of_memory' | 'unresponsive' | 'message_flood' | 'start_timeout'

export interface WorkerExit {
  readonly name: WorkerName
  readonly reason: WorkerExitReason
  readonly message: string
  /** False when the restart budget is used up: the worker is `failed`. */
  readonly restarting: boolean
}

/** What a thread's `error` event says about its death. */
export function exitOfError(error: unknown): { reason: WorkerExitReason; message: string } {
  if (!(error instanceof Error)) return { reason: 'threw', message: String(error) }
  const code = (error as NodeJS.ErrnoException).code
  return { reason: code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'out_of_memory' : 'threw', message: error.stack ?? error.message }
}

/** For whoever needed the worker: it cannot be had now. */
export function workerFailed(name: WorkerName, message: string): AppError {
  return new AppError({
    code: 'WORKER_FAILED',
    message: `the ${name} worker could not be kept running: ${message}`,
    retryable: true,
    params: { worker: name },
  })
}
