import type { Database } from 'better-sqlite3'
import { AppError, WireErrorCode } from '#contracts/wire/app-error.ts'
import { classifyFault, errorCodeOf, type DatabaseFault } from './database-errors.ts'

/** Bytes that may wait for the disk; beyond that callers are refused instead of memory growing without end. */
const WAITING_BYTES = 64 * 1024 * 1024
/** Partial texts are in no hurry: they travel with the next event, or alone after this long. */
const LAZY_MS = 50
/** With many busy sessions commits are at least this far apart, so that they share one sync. */
const CROWD_MS = 25
const CROWD_SESSIONS = 12
const CROWD_MEMORY_MS = 1000

export interface Job {
  /** Whose work it is, for the count of busy sessions. */
  readonly owner: string
  readonly bytes: number
  readonly lazy: boolean
  readonly isCancelled: () => boolean
  /** Runs inside the transaction. An AppError must come before the first write and rejects this job alone. Returns what to do after the commit. */
  apply(): () => void
  reject(error: AppError): void
}

export interface CommitHost {
  database(): Database
  /** The transaction was undone: forget what the jobs staged. */
  discard(): void
  /** It is durable: what was staged is true. */
  promote(): void
  /** A lasting fault began or changed. The jobs wait. */
  onFault(fault: DatabaseFault, error: unknown): void
  onRecovered(): void
  /** Replaces a database found damaged while in use. */
  recover(error: unknown): Promise<void>
}

/**
 * Group commit: all that arrives within one turn of the event loop, of whatever session, becomes one transaction and
 * one sync. A busy, full or unwritable disk delays the work and never drops it.
 */
export class CommitQueue {
  readonly #host: CommitHost
  #jobs: Job[] = []
  #bytes = 0
  #commits = 0
  #scheduled: 'no' | 'lazy' | 'soon' = 'no'
  #timer: NodeJS.Timeout | undefined
  #failures = 0
  #paused = false
  #lastCommit = 0
  readonly #busyOwners = new Map<string, number>()
  #idle: (() => void)[] = []

  constructor(host: CommitHost) {
    this.#host = host
  }

  get length(): number {
    return this.#jobs.length
  }

  get commits(): number {
    return this.#commits
  }

  /** True while a fault keeps work from being committed. */
  get stalled(): boolean {
    return this.#failures > 0
  }

  add(job: Job): void {
    if (this.#bytes + job.bytes > WAITING_BYTES && this.#jobs.length > 0) {
      job.reject(
        new AppError({
          code: 'STORAGE_BACKLOG',
          message: `${this.#jobs.length} writes are already waiting for the disk`,
          retryable: true,
          params: { waiting: this.#jobs.length },
        }),
      )
      return
    }
    this.#jobs.push(job)
    this.#bytes += job.bytes
    if (!job.lazy) this.#busyOwners.set(job.owner, performance.now())
    // While a retry is armed this does nothing; with none armed a queue that failed before must still move.
    this.#schedule(job.lazy)
  }

  /** Resolves when nothing waits any more, or after `deadlineMs`. */
  drain(deadlineMs: number): Promise<void> {
    if (this.#jobs.length > 0 && this.#failures === 0) this.#flush()
    if (this.#jobs.length === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, deadlineMs)
      this.#idle.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  /** Nothing is committed while `work` runs; what comes meanwhile waits. */
  async pauseWhile(work: () => Promise<void>): Promise<void> {
    this.#paused = true
    try {
      await work()
    } finally {
      this.#paused = false
      if (this.#jobs.length > 0) this.#schedule(false)
    }
  }

  /** Rejects what still waits. */
  abandon(error: AppError): void {
    clearTimeout(this.#timer)
    const jobs = this.#take()
    for (const job of jobs) job.reject(error)
  }

  #schedule(lazy: boolean): void {
    if (this.#scheduled === 'soon' || (lazy && this.#scheduled === 'lazy')) return
    if (this.#scheduled === 'lazy') clearTimeout(this.#timer)
    this.#scheduled = lazy ? 'lazy' : 'soon'
    const wait = lazy ? LAZY_MS : this.#crowdDelay()
    if (wait > 0) this.#timer = setTimeout(() => this.#flush(), wait)
    else setImmediate(() => this.#flush())
  }

  #crowdDelay(): number {
    const now = performance.now()
    for (const [owner, at] of this.#busyOwners) if (now - at > CROWD_MEMORY_MS) this.#busyOwners.delete(owner)
    return this.#busyOwners.size < CROWD_SESSIONS ? 0 : Math.max(0, this.#lastCommit + CROWD_MS - now)
  }

  #take(): Job[] {
    const jobs: Job[] = []
    for (const job of this.#jobs) {
      if (job.isCancelled())
        job.reject(new AppError({ code: WireErrorCode.CALL_CANCELLED, message: 'the caller no longer waits for this write' }))
      else jobs.push(job)
    }
    this.#jobs = []
    this.#bytes = 0
    return jobs
  }

  #flush(): void {
    this.#scheduled = 'no'
    if (this.#paused) return
    const jobs = this.#take()
    if (jobs.length > 0) this.#commit(jobs)
    if (this.#jobs.length > 0) return
    const idle = this.#idle
    this.#idle = []
    for (const resolve of idle) resolve()
  }

  #commit(jobs: readonly Job[]): void {
    const afterwards: (() => void)[] = []
    try {
      this.#transact(jobs, afterwards)
    } catch (error) {
      const fault = classifyFault(error)
      if (fault !== 'other') return this.#wait(jobs, fault, error)
      if (jobs.length > 1) {
        // One of them is at fault: alone, each shows whether it is the one.
        jobs.forEach((job, index) => {
          if (this.#failures === 0) this.#commit([job])
          else this.#putBack(jobs.slice(index, index + 1))
        })
        return
      }
      const message = error instanceof Error ? error.message : String(error)
      for (const job of jobs)
        job.reject(
          new AppError({ code: 'STORAGE_FAILED', message: `the write failed: ${message}`, params: { sqlite: errorCodeOf(error) } }),
        )
      return
    }
    this.#lastCommit = performance.now()
    this.#commits++
    if (this.#failures > 0) {
      this.#failures = 0
      this.#host.onRecovered()
    }
    for (const after of afterwards) after()
  }

  #transact(jobs: readonly Job[], afterwards: (() => void)[]): void {
    const database = this.#host.database()
    try {
      database.exec('BEGIN IMMEDIATE')
      for (const job of jobs) {
        try {
          afterwards.push(job.apply())
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          afterwards.push(() => job.reject(error))
        }
      }
      database.exec('COMMIT')
    } catch (error) {
      this.#host.discard()
      if (database.open && database.inTransaction) database.exec('ROLLBACK')
      throw error
    }
    this.#host.promote()
  }

  /** Behind those that wait already: only for jobs of a group whose first ones met a fault. */
  #putBack(jobs: readonly Job[]): void {
    this.#jobs.push(...jobs)
    this.#bytes += jobs.reduce((sum, job) => sum + job.bytes, 0)
  }

  #wait(jobs: readonly Job[], fault: DatabaseFault, error: unknown): void {
    this.#jobs = [...jobs, ...this.#jobs]
    this.#bytes = this.#jobs.reduce((sum, job) => sum + job.bytes, 0)
    this.#failures++
    this.#host.onFault(fault, error)
    if (fault === 'full') this.#makeRoom()
    this.#scheduled = 'soon'
    if (fault === 'corrupt') {
      this.#host.recover(error).then(
        () => this.#retry(0),
        (failure: unknown) => {
          this.#host.onFault(classifyFault(failure), failure)
          this.#retry(3000)
        },
      )
      return
    }
    this.#retry(fault === 'busy' ? 50 : Math.min(3000, 200 * this.#failures))
  }

  /** What the WAL holds twice may be all the room there is to win. */
  #makeRoom(): void {
    try {
      this.#host.database().pragma('wal_checkpoint(TRUNCATE)')
    } catch (error) {
      // No room even for that: the next try waits longer.
      this.#host.onFault('full', error)
    }
  }

  #retry(delay: number): void {
    this.#timer = setTimeout(() => this.#flush(), delay)
  }
}
