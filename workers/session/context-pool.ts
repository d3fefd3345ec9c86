/**
 * The context pools: each exactly one thread, a session always on the same one, so that its history and counts
 * stay warm there. Piscina is loaded on first use.
 */
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Piscina } from 'piscina'
import { BuildOutputSchema, type BuildInput, type BuildOutput } from '#contracts/context/context-tasks.ts'
import { AppError, toErrorData, WireErrorCode } from '#contracts/wire/app-error.ts'

/** Beside this thread's bundle (or source folder), with the same file ending. */
const ENTRY = fileURLToPath(new URL(`../context/entry${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url))
const HEAP_LIMIT_MIB = 512
const TASK_DEADLINE_MS = 60_000

export class ContextPool {
  readonly #pools: Promise<Piscina>[] = []
  readonly #size = availableParallelism() >= 8 ? 2 : 1

  /** Starts the thread a session will use. */
  warm(sessionId: string): void {
    void this.#pool(sessionId)
  }

  /**
   * Builds a request. `whole` gives the history from its start, with what belongs to it, when the thread does not know the session; a thread that
   * died is replaced and asked once more.
   */
  async build(input: BuildInput, whole: () => Partial<BuildInput>): Promise<Extract<BuildOutput, { ok: true }>> {
    for (let attempt = 1; ; attempt++) {
      try {
        const output = BuildOutputSchema.parse(await this.run(input.sessionId, 'build', attempt === 1 ? input : { ...input, ...whole() }))
        if (output.ok) return output
        if (output.reason === 'irreducible') throw new AppError({ code: 'CONTEXT_TOO_LARGE', message: output.message, details: { tokens: output.tokens, limit: output.limit, parts: output.parts } })
      } catch (thrown) {
        if (attempt >= 2 || thrown instanceof AppError) throw toAppError(thrown)
        continue
      }
      if (attempt >= 3) throw new AppError({ code: WireErrorCode.INTERNAL, message: 'the context thread keeps forgetting the session' })
    }
  }

  /** One task by name. Rejects with what the task threw, or when its thread died. */
  async run(sessionId: string, name: string, input: unknown): Promise<unknown> {
    const pool = await this.#pool(sessionId)
    return pool.run(input, { name, signal: AbortSignal.timeout(TASK_DEADLINE_MS) }) as Promise<unknown>
  }

  /** Whether any thread was started. */
  get started(): boolean {
    return this.#pools.length > 0
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map(async (pool) => (await pool).destroy()))
    this.#pools.length = 0
  }

  #pool(sessionId: string): Promise<Piscina> {
    const index = this.#size === 1 ? 0 : hash(sessionId) % this.#size
    return (this.#pools[index] ??= openPool())
  }
}

async function openPool(): Promise<Piscina> {
  const { Piscina } = await import('piscina')
  const pool = new Piscina({
    filename: ENTRY, minThreads: 1, maxThreads: 1, idleTimeout: Infinity,
    // With atomics on, an idle thread blocks and would not see port messages.
    atomics: 'disabled',
    recordTiming: false,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT_MIB },
  })
  // Without a listener a thread's death would be an uncaught exception here; the task in it rejects by itself.
  pool.on('error', () => undefined)
  return pool
}

function hash(text: string): number {
  let value = 0
  for (let index = 0; index < text.length; index++) value = (value * 31 + text.charCodeAt(index)) >>> 0
  return value
}

/** A dead thread is WORKER_LOST; a task's own AppError arrives as a plain Error with its fields. */
function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  const data = toErrorData(thrown)
  return new AppError(data.code === 'ERR_WORKER_OUT_OF_MEMORY' ? { code: WireErrorCode.WORKER_LOST, message: `context ran out of memory: ${data.message}`, retryable: true } : data)
}
