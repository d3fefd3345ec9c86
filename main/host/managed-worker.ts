/** One worker thread over its whole life: named states, one lock, deadlines, heartbeat. Knows nothing of other workers. */
import { Worker, type ResourceLimits, type Transferable } from 'node:worker_threads'
import type { FromWorker, ToWorker, WorkerData, WorkerName } from '#contracts/wire/worker-lifecycle.ts'
import { awakeTimeout } from '#contracts/wire/awake-timeout.ts'
import { floodGate } from './flood-gate.ts'
import { startHeartbeat, type Heartbeat, type HeartbeatTiming } from './heartbeat.ts'
import { exitOfError, type WorkerExitReason } from './worker-exit.ts'

/**
 * idle → starting → running → stopping → stopped; an unexpected end leads back to idle (it may be
 * started again) or, by `giveUp`, to failed.
 */
export type WorkerState = 'idle' | 'starting' | 'running' | 'stopping' | 'stopped' | 'failed'

export interface WorkerTiming {
  /** Module loading included. */
  readonly startDeadlineMs: number
  /** Between asking a worker to stop and terminating it. */
  readonly stopDeadlineMs: number
  readonly heartbeat: HeartbeatTiming
}

export interface ManagedWorkerOptions {
  readonly entry: string | URL
  readonly data: WorkerData
  readonly limits: ResourceLimits
  readonly timing: WorkerTiming
  onMessage(message: Exclude<FromWorker, { type: 'pong' | 'stopped' | 'ready' }>): void
  /** What the thread printed; standard output belongs to the shell. */
  onOutput(text: string): void
  onReady(): void
  onUnexpectedExit(reason: WorkerExitReason, message: string): void
}

export interface ManagedWorker {
  readonly name: WorkerName
  state(): WorkerState
  /** Undefined unless a thread exists. Differs after a restart. */
  threadId(): number | undefined
  thread(): Worker | undefined
  /** Milliseconds from making the thread to its being ready; undefined before. */
  startedInMs(): number | undefined
  /** Makes the thread unless there is one; resolves at once after that, messages wait in its queue. */
  start(): Promise<void>
  /** Asks, then terminates after the stop deadline. Resolves when the thread is gone or cannot be ended. */
  stop(): Promise<void>
  /** @returns false when there is no thread to take it. */
  post(message: ToWorker, transfer?: readonly Transferable[]): boolean
  /** No further start until `forgive`. */
  giveUp(): void
  forgive(): void
}

/** After `terminate()` a thread inside a native call may not end; nobody waits for it longer than this. */
const TERMINATE_DEADLINE_MS = 2_000

export function managedWorker(options: ManagedWorkerOptions): ManagedWorker {
  const { timing, data } = options
  let state: WorkerState = 'idle'
  let current: Running | undefined
  let lock: Promise<void> = Promise.resolve()

  /** Start and stop never interleave: each waits until the one before has settled. */
  const exclusively = (run: () => Promise<void>): Promise<void> => {
    const result = lock.then(run)
    lock = result.catch(() => undefined)
    return result
  }

  const adopt = (thread: Worker): void => {
    const running: Running = {
      thread,
      heartbeat: undefined,
      started: undefined,
      cause: undefined,
      whenStopped: undefined,
      madeAt: performance.now(),
      startedInMs: undefined,
      gone: Promise.resolve(),
    }
    running.gone = new Promise((resolve) => thread.once('exit', () => resolve()))
    const end = (reason: WorkerExitReason, message: string): void => {
      running.cause ??= { reason, message }
      thread.off('message', receive)
      void thread.terminate()
    }
    const flooded = floodGate(() => performance.now())
    const receive = (message: FromWorker): void => {
      if (flooded()) return end('message_flood', 'it sent more messages than the host can take in')
      switch (message.type) {
        case 'pong':
          return running.heartbeat?.answer(message.id)
        case 'stopped':
          return running.whenStopped?.()
        case 'ready':
          running.started?.()
          running.startedInMs = performance.now() - running.madeAt
          if (state === 'starting') state = 'running'
          running.heartbeat = startHeartbeat(
            timing.heartbeat,
            (id) => thread.postMessage({ type: 'ping', id }),
            (silentMs) => end('unresponsive', `its event loop stood still for ${silentMs} ms`),
          )
          return options.onReady()
        default:
          return options.onMessage(message)
      }
    }
    thread.on('message', receive)
    thread.on('messageerror', (error) => end('threw', `a message could not be read: ${String(error)}`))
    thread.on('error', (error) => {
      running.cause ??= exitOfError(error)
    })
    thread.once('exit', (exitCode) => {
      running.heartbeat?.stop()
      running.started?.()
      if (current !== running) return
      current = undefined
      if (state === 'stopping') return
      state = 'idle'
      const cause = running.cause ?? { reason: 'exited' as const, message: `it ended with exit code ${exitCode}` }
      options.onUnexpectedExit(cause.reason, cause.message)
    })
    thread.stdout.on('data', (chunk: Buffer) => options.onOutput(chunk.toString()))
    thread.stderr.on('data', (chunk: Buffer) => options.onOutput(chunk.toString()))
    running.started = awakeTimeout(
      () => end('start_timeout', `it was not ready within ${timing.startDeadlineMs} ms`),
      timing.startDeadlineMs,
    )
    current = running
    state = 'starting'
  }

  const end = async (running: Running): Promise<void> => {
    state = 'stopping'
    const asked = new Promise<void>((resolve) => (running.whenStopped = resolve))
    running.thread.postMessage({ type: 'stop' } satisfies ToWorker)
    await within(Promise.race([asked, running.gone]), timing.stopDeadlineMs)
    await within(Promise.race([running.thread.terminate(), running.gone]), TERMINATE_DEADLINE_MS)
    state = 'stopped'
    current = undefined
  }

  return {
    name: data.name,
    state: () => state,
    threadId: () => current?.thread.threadId,
    thread: () => current?.thread,
    startedInMs: () => current?.startedInMs,
    start: () =>
      exclusively(async () => {
        if (current !== undefined || state === 'failed') return
        let thread: Worker
        try {
          thread = new Worker(options.entry, {
            workerData: data,
            name: data.name,
            resourceLimits: options.limits,
            stdout: true,
            stderr: true,
            execArgv: [],
          })
        } catch (error) {
          // Out of threads or memory, or a bad path: one more death for the budget, never an exception in the host.
          return options.onUnexpectedExit('threw', String(error))
        }
        adopt(thread)
      }),
    stop: () =>
      exclusively(async () => {
        if (current === undefined) state = 'stopped'
        else await end(current)
      }),
    post: (message, transfer) => {
      if (current === undefined) return false
      current.thread.postMessage(message, transfer ?? [])
      return true
    },
    giveUp: () => {
      if (current === undefined) state = 'failed'
    },
    forgive: () => {
      if (state === 'failed') state = 'idle'
    },
  }
}

interface Running {
  readonly thread: Worker
  heartbeat: Heartbeat | undefined
  /** Ends the wait for it to be ready. */
  started: (() => void) | undefined
  /** Set before the thread is terminated by us, or by its own error. The first cause stands. */
  cause: { reason: WorkerExitReason; message: string } | undefined
  whenStopped: (() => void) | undefined
  readonly madeAt: number
  startedInMs: number | undefined
  gone: Promise<void>
}

async function within(promise: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await Promise.race([promise, new Promise((resolve) => (timer = setTimeout(resolve, milliseconds)))])
  clearTimeout(timer)
}
