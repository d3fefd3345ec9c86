/**
 * Knows what each session last saw of each file, so that no session overwrites what it has not seen.
 * Lives in memory: after a restart a file must be read again before it is replaced, which is safe.
 */
import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

/** What identifies a file's content at one moment. */
export interface FileVersion {
  /** Inode, size and times; equal stamps mean an untouched file. */
  readonly stamp: string
  /** SHA-256 (hex) of all bytes; absent for files too big to hash in passing. */
  readonly hash?: string
  /** Kept for the diff of a conflict while it is small. */
  readonly bytes?: Uint8Array
}

export interface LastWriter {
  readonly sessionId: string
  readonly callId: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

export type GuardVerdict =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'never_read' }
  /** `by` is absent when another program changed it; `before` is what this session saw, when still kept. */
  | { readonly kind: 'changed'; readonly by?: LastWriter; readonly before?: Uint8Array }

const KEEP_BYTES = 128 * 1024
const KEEP_TOTAL = 16 * 1024 * 1024
const MAX_ENTRIES = 20_000

export class FileGuard {
  private readonly seen = new Map<string, FileVersion>()
  private readonly writers = new Map<string, LastWriter & { readonly stamp: string }>()
  private readonly busy = new Map<string, Promise<unknown>>()
  private kept = 0

  /** The session has seen (read or written) this version of the file. */
  noteSeen(sessionId: string, realPath: string, version: FileVersion): void {
    const key = `${sessionId}\0${realPath}`
    this.drop(key)
    const small = version.bytes !== undefined && version.bytes.length <= KEEP_BYTES
    if (small) this.kept += version.bytes.length
    this.seen.set(key, {
      stamp: version.stamp,
      ...(version.hash === undefined ? {} : { hash: version.hash }),
      ...(small ? { bytes: version.bytes } : {}),
    })
    this.shrink()
  }

  noteWrite(realPath: string, writer: LastWriter, version: FileVersion): void {
    this.noteSeen(writer.sessionId, realPath, version)
    this.writers.delete(realPath)
    this.writers.set(realPath, { ...writer, stamp: version.stamp })
    for (const oldest of this.writers.keys()) {
      if (this.writers.size <= MAX_ENTRIES) break
      this.writers.delete(oldest)
    }
  }

  /** May this session replace the file that is there now? */
  check(sessionId: string, realPath: string, current: FileVersion): GuardVerdict {
    const last = this.seen.get(`${sessionId}\0${realPath}`)
    if (last === undefined) return { kind: 'never_read' }
    if (last.stamp === current.stamp || (last.hash !== undefined && last.hash === current.hash)) return { kind: 'unchanged' }
    const writer = this.writers.get(realPath)
    const by =
      writer !== undefined && writer.stamp === current.stamp && writer.sessionId !== sessionId
        ? { sessionId: writer.sessionId, callId: writer.callId, at: writer.at }
        : undefined
    return { kind: 'changed', ...(by === undefined ? {} : { by }), ...(last.bytes === undefined ? {} : { before: last.bytes }) }
  }

  /** Runs `work` while no other work on the same file runs: check and write are one step between sessions. */
  async exclusively<T>(realPath: string, work: () => Promise<T>): Promise<T> {
    const before = this.busy.get(realPath) ?? Promise.resolve()
    const mine = before.then(work, work)
    const settled = mine.then(noResult, noResult)
    this.busy.set(realPath, settled)
    try {
      return await mine
    } finally {
      if (this.busy.get(realPath) === settled) this.busy.delete(realPath)
    }
  }

  forgetSession(sessionId: string): void {
    for (const key of this.seen.keys()) if (key.startsWith(`${sessionId}\0`)) this.drop(key)
  }

  private drop(key: string): void {
    this.kept -= this.seen.get(key)?.bytes?.length ?? 0
    this.seen.delete(key)
  }

  /** Oldest first: kept bytes go before knowledge does. */
  private shrink(): void {
    for (const [key, version] of this.seen) {
      if (this.kept <= KEEP_TOTAL && this.seen.size <= MAX_ENTRIES) return
      if (this.seen.size > MAX_ENTRIES) this.drop(key)
      else if (version.bytes !== undefined) {
        this.kept -= version.bytes.length
        this.seen.set(key, { stamp: version.stamp, ...(version.hash === undefined ? {} : { hash: version.hash }) })
      }
    }
  }
}

export async function stampOf(handle: FileHandle): Promise<string> {
  return stampFromStats(await handle.stat({ bigint: true }))
}

export function stampFromStats(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`
}

export function hashBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function noResult(): void {}
