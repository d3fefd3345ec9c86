/** Work that would keep the tools thread busy, done in threads of its own (Piscina), a few at a time (p-queue). */
import { MessageChannel } from 'node:worker_threads'
import type { Piscina as PiscinaPool } from 'piscina'
import type PQueue from 'p-queue'
import type { CsvFailure, CsvInput, CsvReport } from '../csv/csv-types.ts'

export interface PoolTasks {
  /** Reads the whole file through `input.fd`, which must stay open. Rejects with the signal's reason when aborted. */
  analyzeCsv(input: CsvInput, signal: AbortSignal, progress: (doneBytes: number) => void): Promise<CsvReport | CsvFailure>
  /** Readable Markdown of a page. */
  htmlToMarkdown(input: { html: string; url: string }, signal: AbortSignal): Promise<{ title: string; markdown: string }>
  close(): Promise<void>
}

/** Names of the tasks = exports of `workers/tools/pool-entry.ts`. */
const MAX_THREADS = 2
const IDLE_MS = 10_000
/** A large table must not take the processor from a stream or the window. Elsewhere than on Linux niceness is the whole process's. */
const NICENESS = process.platform === 'linux' ? 10 : 0

export function createPoolTasks(): PoolTasks {
  let loaded: Promise<{ pool: PiscinaPool; queue: PQueue }> | undefined
  const load = (): Promise<{ pool: PiscinaPool; queue: PQueue }> => {
    loaded ??= loadPool()
    return loaded
  }
  const run = async <T>(
    name: string,
    input: Record<string, unknown>,
    signal: AbortSignal,
    onMessage: (message: unknown) => void,
  ): Promise<T> => {
    const { pool, queue } = await load()
    const result = await queue.add(
      async () => {
        const channel = new MessageChannel()
        // A cooperative stop first: aborting the task itself would kill the thread and whatever else it holds.
        const stop = (): void => channel.port1.postMessage('stop')
        signal.addEventListener('abort', stop, { once: true })
        channel.port1.on('message', onMessage)
        try {
          return (await pool.run({ ...input, port: channel.port2 }, { name, transferList: [channel.port2] })) as T
        } finally {
          signal.removeEventListener('abort', stop)
          channel.port1.close()
        }
      },
      { signal },
    )
    signal.throwIfAborted()
    return result as T
  }
  return {
    analyzeCsv: (input, signal, progress) =>
      run('analyzeCsv', { ...input }, signal, (message) => void (typeof message === 'number' && progress(message))),
    htmlToMarkdown: (input, signal) => run('htmlToMarkdown', input, signal, () => {}),
    close: async () => void (await (await loaded)?.pool.destroy()),
  }
}

async function loadPool(): Promise<{ pool: PiscinaPool; queue: PQueue }> {
  const [{ Piscina }, { default: Queue }] = await Promise.all([import('piscina'), import('p-queue')])
  const entry = import.meta.url.endsWith('.ts') ? '../pool-entry.ts' : './pool-entry.js'
  const pool = new Piscina({
    filename: new URL(entry, import.meta.url).href,
    minThreads: 0,
    maxThreads: MAX_THREADS,
    idleTimeout: IDLE_MS,
    niceIncrement: NICENESS,
    // An idle thread must hear its port; the default would block it.
    atomics: 'disabled',
    resourceLimits: { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 24 },
  })
  return { pool, queue: new Queue({ concurrency: MAX_THREADS }) }
}
