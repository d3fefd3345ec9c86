/**
 * The context pools: each exactly one thread, a session always on the same one, so that its history and counts
 * stay warm there.
 */
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { BuildOutputSchema, type BuildInput, type BuildOutput } from '#contracts/context/context-tasks.ts'
import { ThreadHealthSchema, type ThreadHealth } from '#contracts/health/thread-health.ts'
import type { FileVerdict, SeenFile } from '#contracts/workspace/agreed-file.ts'
import type { AbortSignalLike } from '#contracts/metona/metona-adapter.ts'
import { AppError, toErrorData, WireErrorCode } from '#contracts/wire/app-error.ts'
import { ContextThread, type ContextThreadOptions } from './context-thread.ts'

/** Beside this thread's bundle (or source folder), with the same file ending. */
const ENTRY = fileURLToPath(new URL(`../context/entry${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url))
/** Files change while they are judged, but not for ever. */
const MOST_JUDGED = 5
const DEFAULTS: ContextThreadOptions = { entry: ENTRY, heapLimitMib: 512, taskDeadlineMs: 30_000 }

export class ContextPool {
  readonly #options: ContextThreadOptions
  readonly #threads: ContextThread[] = []
  readonly #size = availableParallelism() >= 8 ? 2 : 1

  constructor(options: Partial<ContextThreadOptions> = {}) {
    this.#options = { ...DEFAULTS, ...options }
  }

  /** Starts the thread a session will use. */
  warm(sessionId: string): void {
    this.#threadOf(sessionId).warm()
  }

  /**
   * Builds a request. `judge` says what may be used of files that speak in the person's name. `whole` gives the history from its start, with what belongs to it, when the thread does not know the session; a thread that
   * died is replaced and asked once more. Rejects with `CALL_CANCELLED` at once when `signal` aborts.
   */
  async build(
    input: BuildInput,
    whole: () => Partial<BuildInput>,
    judge: (files: SeenFile[]) => Promise<FileVerdict[]>,
    signal: AbortSignalLike,
  ): Promise<Extract<BuildOutput, { ok: true }>> {
    let verdicts: FileVerdict[] = []
    let judged = 0
    for (let attempt = 1; ; attempt++) {
      try {
        const order = { ...(attempt === 1 ? input : { ...input, ...whole() }), ...(verdicts.length === 0 ? {} : { verdicts }) }
        const output = BuildOutputSchema.parse(await unlessAborted(this.run(input.sessionId, 'build', order), signal))
        if (output.ok) return output
        if (output.reason === 'unseen_files' && judged++ < MOST_JUDGED) {
          verdicts = [...verdicts, ...(await judge(output.files))]
          attempt--
          continue
        }
        if (output.reason === 'irreducible')
          throw new AppError({
            code: 'CONTEXT_TOO_LARGE',
            message: output.message,
            details: { tokens: output.tokens, limit: output.limit, parts: output.parts },
          })
      } catch (thrown) {
        const final = thrown instanceof AppError && thrown.code !== WireErrorCode.WORKER_LOST
        if (attempt >= 2 || final) throw thrown instanceof AppError ? thrown : new AppError(toErrorData(thrown))
        continue
      }
      if (attempt >= 3) throw new AppError({ code: WireErrorCode.INTERNAL, message: 'the context thread keeps forgetting the session' })
    }
  }

  /** One task by name. Rejects with what the task threw, or with `WORKER_LOST`. */
  run(sessionId: string, name: string, input: unknown): Promise<unknown> {
    return this.#threadOf(sessionId).run(name, input)
  }

  /** What each started thread says of itself; a thread in the middle of a long task answers after it. */
  health(): Promise<ThreadHealth>[] {
    return this.#threads.filter((thread) => thread.started).map(async (thread) => ThreadHealthSchema.parse(await thread.run('health', {})))
  }

  /** Whether any thread was started. */
  get started(): boolean {
    return this.#threads.some((thread) => thread.started)
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()))
    this.#threads.length = 0
  }

  #threadOf(sessionId: string): ContextThread {
    const index = this.#size === 1 ? 0 : hash(sessionId) % this.#size
    return (this.#threads[index] ??= new ContextThread(this.#options))
  }
}

/** The work itself goes on: ending its thread would cost every other session its warm history. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignalLike): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(stopped())
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
}

export function stopped(): AppError {
  return new AppError({ code: WireErrorCode.CALL_CANCELLED, message: 'stopped while the context was being built' })
}

function hash(text: string): number {
  let value = 0
  for (let index = 0; index < text.length; index++) value = (value * 31 + text.charCodeAt(index)) >>> 0
  return value
}
