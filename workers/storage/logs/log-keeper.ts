import { closeSync, fsync, openSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Banners } from '../banners.ts'
import { LogWriter, type LogRow } from './log-writer.ts'
import { WORKSPACE_LOG } from './log-names.ts'

const fsyncAsync = promisify(fsync)
const SYNC_INTERVAL_MS = 5000
const OPEN_FILES = 64
const CATCH_UP_ROWS = 500

/** Key of `logs/workspace.jsonl` among the sessions' logs. */
export const WORKSPACE_KEY = '@workspace'

export interface LogSource {
  /** Committed rows from `fromSeq` on, at most `limit`. */
  rows(key: string, fromSeq: number, limit: number): LogRow[]
  /** Name of a log that does not exist yet; undefined when nothing is committed under that key. */
  nameOf(key: string): string | undefined
  /** False when another folder now stands where the workspace stood. */
  folderInPlace(): boolean
}

/**
 * All log files of a workspace. The database has acknowledged before anything comes here, so a failed append loses
 * nothing: the file falls behind, a banner says so, and it is filled from the database later.
 */
export class LogKeeper {
  readonly #folder: string
  readonly #source: LogSource
  readonly #banners: Banners
  readonly #writers = new Map<string, LogWriter>()
  readonly #behind = new Set<string>()
  readonly #timer: NodeJS.Timeout
  /** Keys of open files, the one used last at the end. */
  readonly #open = new Set<string>()
  #folderDirty = false

  constructor(folder: string, source: LogSource, banners: Banners) {
    this.#folder = folder
    this.#source = source
    this.#banners = banners
    this.#timer = setInterval(() => void this.#tick(), SYNC_INTERVAL_MS)
    this.#timer.unref()
  }

  /** Tells of a file found on open. */
  adopt(key: string, name: string, loggedSeq: number, bytes: number): void {
    void this.#writers
      .get(key)
      ?.close()
      .catch((error: unknown) => this.#fellBehind(key, error))
    this.#behind.delete(key)
    this.#writers.set(key, new LogWriter(join(this.#folder, name), loggedSeq, bytes))
  }

  /** Stops writing a log, for a session that is being deleted. Returns its path. */
  async release(key: string): Promise<string | undefined> {
    const writer = this.#writers.get(key)
    this.#writers.delete(key)
    this.#behind.delete(key)
    await writer?.close()
    return writer?.path
  }

  /** Appends rows that were just committed. Never throws. */
  append(key: string, rows: readonly LogRow[]): void {
    try {
      const writer = this.#writerOf(key)
      if (writer === undefined) return
      const first = rows[0]
      if (this.#behind.has(key) || (first !== undefined && first.seq > writer.loggedSeq + 1)) return this.#fill(key, writer)
      writer.append(rows)
      this.#limitOpenFiles(key)
    } catch (error) {
      this.#fellBehind(key, error)
    }
  }

  /** Appends whatever the database has beyond the file. Never throws. */
  complete(key: string): void {
    try {
      const writer = this.#writerOf(key)
      if (writer !== undefined) this.#fill(key, writer)
    } catch (error) {
      this.#fellBehind(key, error)
    }
  }

  /** The log of `key` holds every committed row, on the disk, when this resolves. */
  async sync(key: string): Promise<void> {
    const writer = this.#writers.get(key)
    if (writer === undefined) return
    if (this.#behind.has(key)) this.complete(key)
    await this.#syncFolder()
    await writer.sync()
  }

  /** Tries to bring up what fell behind. Never throws. */
  completeBehind(): void {
    for (const key of [...this.#behind]) this.complete(key)
  }

  /** As `sync`, for every log. Throws when one cannot be brought up to date. */
  async syncAll(): Promise<void> {
    this.completeBehind()
    if (this.#behind.size > 0) throw Object.assign(new Error('a log file cannot be written'), { code: 'LOG_BEHIND' })
    await this.#syncFolder()
    for (const writer of [...this.#writers.values()]) await writer.sync()
  }

  /** Sizes and last numbers, for the record of a clean close. */
  positions(): { name: string; bytes: number; lastSeq: number }[] {
    return [...this.#writers]
      .filter(([key]) => !this.#behind.has(key))
      .map(([, writer]) => ({ name: writer.path.slice(this.#folder.length + 1), bytes: writer.bytes, lastSeq: writer.loggedSeq }))
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.completeBehind()
    await this.#syncFolder().catch((error: unknown) => this.#fellBehind(undefined, error))
    for (const [key, writer] of this.#writers) await writer.close().catch((error: unknown) => this.#fellBehind(key, error))
  }

  #writerOf(key: string): LogWriter | undefined {
    const known = this.#writers.get(key)
    if (known !== undefined) {
      if (!known.isOpen) this.#checkFolder()
      return known
    }
    const name = key === WORKSPACE_KEY ? WORKSPACE_LOG : this.#source.nameOf(key)
    if (name === undefined) return undefined
    this.#checkFolder()
    const writer = new LogWriter(join(this.#folder, name), -1, 0)
    this.#writers.set(key, writer)
    this.#folderDirty = true
    return writer
  }

  #checkFolder(): void {
    if (!this.#source.folderInPlace()) throw Object.assign(new Error('the workspace folder was moved or replaced'), { code: 'ENOENT' })
  }

  #fill(key: string, writer: LogWriter): void {
    for (;;) {
      const rows = this.#source.rows(key, writer.loggedSeq + 1, CATCH_UP_ROWS)
      if (rows.length === 0) break
      writer.append(rows)
      this.#limitOpenFiles(key)
    }
    this.#behind.delete(key)
    if (this.#behind.size === 0) this.#banners.clear('LOG_BEHIND')
  }

  #fellBehind(key: string | undefined, error: unknown): void {
    if (key !== undefined) this.#behind.add(key)
    const reason = error instanceof Error ? error.message : String(error)
    this.#banners.set('warning', 'LOG_BEHIND', `A log file could not be written and will be filled from the database: ${reason}`, {
      reason,
    })
  }

  async #tick(): Promise<void> {
    this.completeBehind()
    for (const [key, writer] of [...this.#writers]) {
      if (!writer.dirty) continue
      try {
        if (writer.isDisturbed()) this.#writeAnew(key, writer)
        await this.#syncFolder()
        await writer.sync()
      } catch (error) {
        this.#fellBehind(key, error)
      }
    }
  }

  /** Somebody removed or cut the file while we wrote it: a new one is made from the database. */
  #writeAnew(key: string, writer: LogWriter): void {
    this.#banners.set(
      'warning',
      'LOG_DISTURBED',
      `Another program changed or removed ${writer.path}; it was written again from the database where it was missing`,
      { path: writer.path },
    )
    void writer.close().catch((error: unknown) => this.#fellBehind(key, error))
    this.#writers.delete(key)
    this.#behind.add(key)
    this.complete(key)
  }

  /** A new file's name must outlive a power cut as well as its bytes. */
  async #syncFolder(): Promise<void> {
    if (!this.#folderDirty || process.platform === 'win32') return
    this.#folderDirty = false
    const fd = openSync(this.#folder, 'r')
    try {
      await fsyncAsync(fd)
    } finally {
      closeSync(fd)
    }
  }

  #limitOpenFiles(inUse: string): void {
    this.#open.delete(inUse)
    this.#open.add(inUse)
    for (const key of this.#open) {
      if (this.#open.size <= OPEN_FILES) return
      this.#open.delete(key)
      const writer = this.#writers.get(key)
      void writer?.close().catch((error: unknown) => this.#fellBehind(key, error))
    }
  }
}
