import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import type { StoredCount } from '#contracts/context/token-report.ts'
import type { PartialText } from '#contracts/storage/partial-text.ts'
import type { AbortSignalLike } from '#contracts/metona/metona-adapter.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { insertEvents, sessionIdOf, toStored } from './append-events.ts'
import type { Banners } from './banners.ts'
import { CommitQueue } from './commit-queue.ts'
import { classifyFault } from './database-errors.ts'
import { faultBanner, FAULT_BANNERS } from './fault-banner.ts'
import { FoldStore } from './fold-store.ts'
import type { WorkspaceLayout } from './folders/workspace-layout.ts'
import { LogKeeper, WORKSPACE_KEY } from './logs/log-keeper.ts'
import { sessionLogName } from './logs/log-names.ts'
import type { WorkspaceRecordDraft } from './logs/workspace-record.ts'
import { clearPartials, readEventRows, unfinishedSessions, writePartial } from './queries/read-sessions.ts'
import { workingMemories } from './queries/memories.ts'
import { writeTokenCounts } from './queries/token-counts.ts'
import { addRecord, readRecords } from './queries/workspace-records.ts'
import { rowWriter, type RowWriter } from './queries/write-rows.ts'
import type { Connection } from './open-database.ts'

/** How long a reader waits for a foreign lock, and between two looks. */
const READ_WAIT_MS = 30_000
const BUSY_PAUSE_MS = 50

export type ReplaceReason = { readonly kind: 'rebuild' } | { readonly kind: 'damaged'; readonly detail: string }

export interface WorkspaceParts {
  readonly layout: WorkspaceLayout
  readonly banners: Banners
  readonly now: () => string
  /** Puts a sound database in the place of the present one, which is damaged or (`rebuild`) to be made anew. */
  readonly replace: (reason: ReplaceReason) => Promise<void>
  readonly dispose: () => Promise<void>
}

/** One open workspace: its connection, its logs and its queue of writes. */
export class Workspace {
  readonly layout: WorkspaceLayout
  readonly banners: Banners
  readonly folds = new FoldStore()
  readonly queue: CommitQueue
  readonly keeper: LogKeeper
  /** True: nothing can be written (media, newer schema, reading mode). */
  readOnly = false
  readonly #parts: WorkspaceParts
  readonly #inode: bigint
  #connection: Connection | undefined
  #writer: RowWriter | undefined
  #mending: Promise<void> | undefined
  #disposed = false
  readonly #partials = new Map<string, PartialJob>()
  readonly #closers: (() => Promise<void>)[] = []
  readonly #syncedHeads = new Set<string>()

  constructor(parts: WorkspaceParts) {
    this.#parts = parts
    this.layout = parts.layout
    this.banners = parts.banners
    this.#inode = statSync(parts.layout.root, { bigint: true }).ino
    this.keeper = new LogKeeper(parts.layout.logs, this, parts.banners)
    this.queue = new CommitQueue({
      database: () => this.#usable(),
      discard: () => this.folds.discard(),
      promote: () => this.folds.promote(),
      onFault: (fault, error) => faultBanner(this.banners, fault, error),
      onRecovered: () => FAULT_BANNERS.forEach((code) => this.banners.clear(code)),
      recover: (error) => this.#mend(error),
    })
  }

  /** `STORAGE_CLOSED` between a fault and its repair, and after close. */
  get database(): Database {
    if (this.#connection === undefined)
      throw new AppError({ code: 'STORAGE_CLOSED', message: `the database of ${this.layout.root} is closed`, retryable: true })
    return this.#connection.database
  }

  get writer(): RowWriter {
    this.#writer ??= rowWriter(this.database)
    return this.#writer
  }

  /** Takes up a connection, new or in place of another; what was remembered of the old one is dropped. */
  attach(connection: Connection): void {
    this.#connection = connection
    this.#writer = undefined
    this.folds.clear()
  }

  /** Harmless when there is none. */
  detach(): void {
    const connection = this.#connection
    this.#connection = undefined
    this.#writer = undefined
    this.folds.clear()
    connection?.database.close()
  }

  /** Reads from the database. A busy one is waited for; one that turns out damaged is mended, and read again. */
  async read<T>(work: (database: Database) => T): Promise<T> {
    const deadline = performance.now() + READ_WAIT_MS
    for (let mended = false; ;) {
      await this.#mending
      try {
        return work(this.#usable())
      } catch (error) {
        const fault = classifyFault(error)
        if (fault === 'corrupt' && !mended) {
          mended = true
          await this.queue.pauseWhile(() => this.#mend(error))
        } else if (fault === 'busy' && performance.now() < deadline) {
          faultBanner(this.banners, fault, error)
          await sleep(BUSY_PAUSE_MS)
        } else throw error
      }
    }
  }

  /** Without a connection an earlier repair failed; whoever needs the database asks for another. */
  #usable(): Database {
    if (this.#connection === undefined && !this.#disposed)
      throw Object.assign(new Error(`the database of ${this.layout.root} could not be repaired yet`), { code: 'SQLITE_CORRUPT' })
    return this.database
  }

  /** Several may find the damage; it is mended once. */
  #mend(error: unknown): Promise<void> {
    this.#mending ??= this.#parts
      .replace({ kind: 'damaged', detail: error instanceof Error ? error.message : String(error) })
      .finally(() => {
        this.#mending = undefined
      })
    return this.#mending
  }

  unfinished(): Promise<string[]> {
    return this.read(unfinishedSessions)
  }

  appendEvents(events: readonly SessionEvent[], signal: AbortSignalLike): Promise<{ lastSeq: number }> {
    const sessionId = sessionIdOf(events)
    const stored = events.map(toStored)
    const bytes = stored.reduce((sum, event) => sum + event.json.length, 0)
    return this.#enqueue({ owner: sessionId, bytes, lazy: false, signal }, () => {
      const { rows, lastSeq } = insertEvents(this.database, this.writer, this.folds, sessionId, stored)
      const ended = rows.length > 0 && events.some(endsTask) ? this.#endTask(sessionId) : []
      return () => {
        if (ended.length > 0) this.keeper.append(WORKSPACE_KEY, ended)
        if (rows.length > 0) {
          this.keeper.append(sessionId, rows)
          this.#syncedHeads.add(sessionId)
        }
        return { lastSeq }
      }
    })
  }

  /** What was remembered for the task alone goes with it, in the same transaction. */
  #endTask(sessionId: string): { seq: number; json: string }[] {
    const ids = workingMemories(this.database, sessionId)
    if (ids.length === 0) return []
    return [addRecord(this.database, { event: 'memory_removed', ids, reason: 'task_ended' }, this.#parts.now())]
  }

  /** Of several waiting texts of one session only the newest is written. */
  savePartial(partial: PartialText, signal: AbortSignalLike): Promise<void> {
    const waiting = this.#partials.get(partial.sessionId)
    if (waiting !== undefined) {
      waiting.partial = partial
      return waiting.done
    }
    const job: PartialJob = { partial, done: Promise.resolve() }
    this.#partials.set(partial.sessionId, job)
    job.done = this.#enqueue({ owner: partial.sessionId, bytes: partial.text.length + partial.thinking.length, lazy: true, signal }, () => {
      writePartial(this.database, job.partial)
      return () => undefined
    }).finally(() => {
      if (this.#partials.get(partial.sessionId) === job) this.#partials.delete(partial.sessionId)
    })
    return job.done
  }

  clearPartial(sessionId: string, signal: AbortSignalLike): Promise<void> {
    // A text that comes after this must not slip into a write that stands before it.
    this.#partials.delete(sessionId)
    return this.#enqueue({ owner: sessionId, bytes: 0, lazy: true, signal }, () => {
      clearPartials(this.database, sessionId)
      return () => undefined
    })
  }

  saveTokenCounts(sessionId: string, counts: readonly StoredCount[], signal: AbortSignalLike): Promise<void> {
    return this.#enqueue({ owner: sessionId, bytes: counts.length * 64, lazy: true, signal }, () => {
      writeTokenCounts(this.database, sessionId, counts)
      return () => undefined
    })
  }

  /** Records a change that belongs to no session and makes it. `also` runs in the same transaction. */
  record(draft: WorkspaceRecordDraft, signal: AbortSignalLike, also: () => void = () => undefined): Promise<void> {
    return this.recordAll(
      () => ({ drafts: [draft], answer: undefined }),
      signal,
      () => also(),
    )
  }

  /** As `record`, for changes that depend on what is stored: `make` looks inside the transaction, and may refuse with an AppError. */
  recordAll<T>(
    make: (database: Database) => { drafts: readonly WorkspaceRecordDraft[]; answer: T },
    signal: AbortSignalLike,
    also: () => void = () => undefined,
  ): Promise<T> {
    return this.#enqueue({ owner: WORKSPACE_KEY, bytes: 0, lazy: false, signal }, () => {
      const { drafts, answer } = make(this.database)
      const rows = drafts.map((draft) => addRecord(this.database, draft, this.#parts.now()))
      also()
      return () => {
        if (rows.length > 0) this.keeper.append(WORKSPACE_KEY, rows)
        return answer
      }
    })
  }

  /** Sessions that got events since the last call. */
  takeChangedSessions(): string[] {
    const changed = [...this.#syncedHeads]
    this.#syncedHeads.clear()
    return changed
  }

  // What the log keeper asks.
  rows(key: string, fromSeq: number, limit: number): { seq: number; json: string }[] {
    return key === WORKSPACE_KEY ? readRecords(this.database, fromSeq, limit) : readEventRows(this.database, key, fromSeq, limit)
  }

  nameOf(sessionId: string): string | undefined {
    const first = this.database
      .prepare<[string], { ts: string }>('SELECT ts FROM session_events WHERE session_id = ? ORDER BY seq LIMIT 1')
      .get(sessionId)
    return first === undefined ? undefined : sessionLogName(sessionId, first.ts)
  }

  folderInPlace(): boolean {
    return statSync(this.layout.root, { bigint: true, throwIfNoEntry: false })?.ino === this.#inode
  }

  /** Makes the database anew from the logs, which first get what only the database has. */
  async rebuild(): Promise<void> {
    await this.queue.pauseWhile(async () => {
      await this.keeper.syncAll()
      await this.#parts.replace({ kind: 'rebuild' })
    })
  }

  /** Runs before the workspace is closed. */
  onDispose(close: () => Promise<void>): void {
    this.#closers.push(close)
  }

  async dispose(): Promise<void> {
    this.#disposed = true
    await Promise.allSettled(this.#closers.map((close) => close()))
    return this.#parts.dispose()
  }

  #enqueue<T>(about: { owner: string; bytes: number; lazy: boolean; signal: AbortSignalLike }, apply: () => () => T): Promise<T> {
    if (this.readOnly)
      return Promise.reject(
        new AppError({ code: 'READ_ONLY', message: `${this.layout.root} is open for reading only`, params: { path: this.layout.root } }),
      )
    return new Promise<T>((resolve, reject) => {
      this.queue.add({
        owner: about.owner,
        bytes: about.bytes,
        lazy: about.lazy,
        isCancelled: () => about.signal.aborted,
        apply: () => {
          const finish = apply()
          return () => resolve(finish())
        },
        reject,
      })
    })
  }
}

/** The goal was changed or taken away, or the session put aside. */
function endsTask(event: SessionEvent): boolean {
  return event.event === 'session_updated' && (event.taskGoal !== undefined || event.archived === true)
}

interface PartialJob {
  partial: PartialText
  done: Promise<void>
}
