/**
 * One context thread: a Piscina pool of exactly one, one task at a time, made again when it dies or stands still.
 * Piscina is loaded on first use.
 */
import PQueue from 'p-queue'
import type { Piscina } from 'piscina'
import { awakeTimeout } from '#contracts/wire/awake-timeout.ts'
import { AppError, WireErrorCode } from '#contracts/wire/app-error.ts'
import { callMeter } from '#contracts/wire/call-meter.ts'

export interface ContextThreadOptions {
  /** Path of the file whose exports are the tasks. */
  readonly entry: string
  readonly heapLimitMib: number
  /** Waking time after which a task counts as stuck, and its thread with it; milliseconds. */
  readonly taskDeadlineMs: number
}

export class ContextThread {
  readonly #options: ContextThreadOptions
  /** A queue of our own, so that what waits is not lost with the task that kills the thread. */
  readonly #tasks = new PQueue({ concurrency: 1 })
  #pool: Promise<Piscina> | undefined
  #deaths = 0

  constructor(options: ContextThreadOptions) {
    this.#options = options
  }

  get started(): boolean {
    return this.#pool !== undefined
  }

  warm(): void {
    this.#opened().catch(() => undefined)
  }

  /** One task by name. Rejects with what the task threw, or with `WORKER_LOST` when its thread died or stood still. */
  run(name: string, input: unknown): Promise<unknown> {
    const meter = callMeter()
    if (meter === undefined) return this.#tasks.add(() => this.#runAlone(name, input))
    const sentAt = meter.now()
    return this.#tasks.add(async () => {
      const startedAt = meter.now()
      try {
        return await this.#runAlone(name, input)
      } finally {
        meter.call(`context.${name}`, startedAt - sentAt, meter.now() - startedAt, input)
        meter.message('context', input)
      }
    })
  }

  async close(): Promise<void> {
    this.#tasks.clear()
    const closing = this.#pool
    this.#pool = undefined
    await (await closing?.catch(() => undefined))?.destroy()
  }

  async #runAlone(name: string, input: unknown): Promise<unknown> {
    const opened = this.#opened()
    const pool = await opened
    const deaths = this.#deaths
    return new Promise((resolve, reject) => {
      const cancel = awakeTimeout(() => {
        this.#discard(opened)
        reject(lost(`${name} gave no answer within ${this.#options.taskDeadlineMs} ms`))
      }, this.#options.taskDeadlineMs)
      pool
        .run(input, { name })
        .then(resolve, (thrown: unknown) => reject(this.#deaths === deaths ? thrown : lost(String(thrown))))
        .finally(cancel)
    })
  }

  #opened(): Promise<Piscina> {
    if (this.#pool === undefined) {
      const opening = this.#open()
      this.#pool = opening
      opening.then(
        // Tasks answer on a port of their own: a thread that sends anything else could flood this one.
        (pool) => pool.on('message', () => this.#discard(opening)),
        () => this.#discard(opening),
      )
    }
    return this.#pool
  }

  async #open(): Promise<Piscina> {
    const { Piscina } = await import('piscina')
    const pool = new Piscina({
      filename: this.#options.entry,
      minThreads: 1,
      maxThreads: 1,
      idleTimeout: Infinity,
      // With atomics on, an idle thread blocks and would not see port messages.
      atomics: 'disabled',
      recordTiming: false,
      resourceLimits: { maxOldGenerationSizeMb: this.#options.heapLimitMib },
    })
    // Told before the task in it rejects; Piscina makes a new thread by itself.
    pool.on('workerDestroy', () => (this.#deaths += 1))
    // Without a listener a thread's death would be an uncaught exception here; the task in it rejects by itself.
    pool.on('error', () => undefined)
    return pool
  }

  /** The next task gets a new thread; the old one is ended, whatever it does. */
  #discard(opened: Promise<Piscina>): void {
    if (this.#pool !== opened) return
    this.#pool = undefined
    opened.then((pool) => pool.destroy()).catch(() => undefined)
  }
}

function lost(message: string): AppError {
  return new AppError({ code: WireErrorCode.WORKER_LOST, message: `the context thread is gone: ${message}`, retryable: true })
}
