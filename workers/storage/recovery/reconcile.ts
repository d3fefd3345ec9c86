import { closeSync, existsSync, ftruncateSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import { AppError } from '#contracts/wire/app-error.ts'
import { insertEvents, type StoredEvent } from '../append-events.ts'
import type { Banners } from '../banners.ts'
import type { FoldStore } from '../fold-store.ts'
import type { WorkspaceLayout } from '../folders/workspace-layout.ts'
import { headOf, parseEventLine } from '../logs/event-line.ts'
import { findLastLine, openLogFile, readLines } from '../logs/log-file.ts'
import { WORKSPACE_KEY, type LogKeeper } from '../logs/log-keeper.ts'
import { parseSessionLogName, WORKSPACE_LOG } from '../logs/log-names.ts'
import { parseRecordLine, deletedSessions, lastRecordSeq, storeRecord } from '../queries/workspace-records.ts'
import { lastSeqs } from '../queries/read-sessions.ts'
import type { RowWriter } from '../queries/write-rows.ts'
import { inTransaction } from '../migrate.ts'
import { quarantineFile } from './quarantine.ts'

const ROWS_PER_TRANSACTION = 500

export interface ReconcileParts {
  readonly database: Database
  readonly writer: RowWriter
  readonly folds: FoldStore
  readonly layout: WorkspaceLayout
  /** Absent when the folder is only read: then nothing is repaired and no log is written. */
  readonly keeper: LogKeeper | undefined
  readonly now: () => string
}

export interface ReconcileCounts {
  inserted: number
  appended: number
  torn: number
  damaged: string[]
  unsafe: string[]
}

/**
 * Makes database and logs say the same: what only the logs have is inserted, what only the database has is appended,
 * torn ends are cut off. A log whose size is that of the last clean close is not even opened.
 */
export async function reconcile(parts: ReconcileParts): Promise<ReconcileCounts> {
  const counts: ReconcileCounts = { inserted: 0, appended: 0, torn: 0, damaged: [], unsafe: [] }
  reconcileWorkspaceLog(parts, counts)
  const known = lastSeqs(parts.database)
  const deleted = deletedSessions(parts.database)
  const clean = cleanPositions(parts.database)
  const seen = new Set<string>()
  for (const { name, sessionId } of sessionLogs(parts.layout)) {
    if (deleted.has(sessionId) || seen.has(sessionId)) continue
    seen.add(sessionId)
    const lastSeq = known.get(sessionId) ?? -1
    const position = clean.get(name)
    if (position?.lastSeq === lastSeq && lstatSync(join(parts.layout.logs, name), { throwIfNoEntry: false })?.size === position.bytes) {
      parts.keeper?.adopt(sessionId, name, lastSeq, position.bytes)
      continue
    }
    await reconcileSession(parts, counts, name, sessionId, lastSeq)
    await nextTurn()
  }
  for (const [sessionId, lastSeq] of known) {
    if (seen.has(sessionId) || deleted.has(sessionId)) continue
    parts.keeper?.complete(sessionId)
    if (parts.keeper !== undefined) counts.appended += lastSeq + 1
  }
  return counts
}

/** One notice for each kind of thing that was done. `rebuilding` has its own notice for what was inserted. */
export function announceReconcile(banners: Banners, counts: ReconcileCounts, rebuilding: boolean): void {
  if (counts.inserted > 0 && !rebuilding)
    banners.set('info', 'DATABASE_COMPLETED', `${counts.inserted} entries that only the logs had were added to the database.`, {
      count: counts.inserted,
    })
  if (counts.appended > 0)
    banners.set('info', 'LOG_COMPLETED', `${counts.appended} entries that only the database had were added to the logs.`, {
      count: counts.appended,
    })
  if (counts.torn > 0)
    banners.set('info', 'LOG_REPAIRED', `${counts.torn} log files ended in the middle of a line; the torn ends were repaired.`, {
      count: counts.torn,
    })
  if (counts.damaged.length > 0)
    banners.set('warning', 'LOG_DAMAGED', `Log lines that cannot be read: ${counts.damaged.slice(0, 5).join(', ')}`, {
      count: counts.damaged.length,
    })
  if (counts.unsafe.length > 0)
    banners.set(
      'warning',
      'LOG_UNSAFE',
      `Log files that are links or no regular files were put aside: ${counts.unsafe.slice(0, 5).join(', ')}`,
      { count: counts.unsafe.length },
    )
}

/** In order of their beginning; of two files of one session the earlier. */
export function sessionLogs(layout: WorkspaceLayout): { name: string; sessionId: string }[] {
  if (!existsSync(layout.logs)) return []
  return readdirSync(layout.logs)
    .flatMap((name) => {
      const parsed = parseSessionLogName(name)
      return parsed === undefined ? [] : [{ name, ...parsed }]
    })
    .sort((left, right) =>
      left.startedAt === right.startedAt ? compare(left.sessionId, right.sessionId) : compare(left.startedAt, right.startedAt),
    )
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

function cleanPositions(database: Database): Map<string, { bytes: number; lastSeq: number }> {
  const rows = database.prepare<[], { name: string; bytes: number; last_seq: number }>('SELECT name, bytes, last_seq FROM log_files').all()
  return new Map(rows.map((row) => [row.name, { bytes: row.bytes, lastSeq: row.last_seq }]))
}

async function reconcileSession(
  parts: ReconcileParts,
  counts: ReconcileCounts,
  name: string,
  sessionId: string,
  lastSeq: number,
): Promise<void> {
  const fd = openOrPutAside(parts, counts, name)
  if (fd === undefined) {
    if (lastSeq < 0 || parts.keeper === undefined) return
    parts.keeper.complete(sessionId)
    counts.appended += lastSeq + 1
    return
  }
  try {
    const { line, size } = findLastLine(fd, (text) => headOf(text)?.sessionId === sessionId)
    const end = line?.end ?? 0
    if (size > end) {
      counts.torn++
      if (parts.keeper !== undefined) ftruncateSync(fd, end)
    }
    const logged = line === undefined ? -1 : (headOf(line.text)?.seq ?? -1)
    if (logged > lastSeq) await insertLines(parts, counts, fd, name, sessionId, lastSeq)
    parts.keeper?.adopt(sessionId, name, logged, end)
    if (logged < lastSeq && parts.keeper !== undefined) {
      parts.keeper.complete(sessionId)
      counts.appended += lastSeq - logged
    }
  } finally {
    closeSync(fd)
  }
}

async function insertLines(
  parts: ReconcileParts,
  counts: ReconcileCounts,
  fd: number,
  name: string,
  sessionId: string,
  lastSeq: number,
): Promise<void> {
  let batch: StoredEvent[] = []
  let last = lastSeq
  const insert = (): void => {
    const events = batch
    batch = []
    if (events.length === 0) return
    try {
      inTransaction(parts.database, () => insertEvents(parts.database, parts.writer, parts.folds, sessionId, events, { allowGaps: true }))
      parts.folds.promote()
    } catch (error) {
      parts.folds.discard()
      throw error
    }
    counts.inserted += events.length
  }
  let number = 0
  for (const line of readLines(fd)) {
    number++
    if (!line.complete) break
    const parsed = parseEventLine(line.text, sessionId)
    if (parsed === undefined) counts.damaged.push(`${name}:${number}`)
    if (parsed === undefined || parsed.row.seq <= last) continue
    last = parsed.row.seq
    batch.push({
      seq: parsed.row.seq,
      eventId: parsed.row.event_id,
      kind: parsed.row.event,
      turn: parsed.row.turn,
      ts: parsed.row.ts,
      json: parsed.row.json,
      event: parsed.event,
    })
    if (batch.length >= ROWS_PER_TRANSACTION) {
      insert()
      await nextTurn()
    }
  }
  insert()
}

function reconcileWorkspaceLog(parts: ReconcileParts, counts: ReconcileCounts): void {
  const { database, keeper } = parts
  const stored = lastRecordSeq(database)
  const present = lstatSync(join(parts.layout.logs, WORKSPACE_LOG), { throwIfNoEntry: false }) !== undefined
  const fd = present ? openOrPutAside(parts, counts, WORKSPACE_LOG) : undefined
  if (fd === undefined) {
    if (stored >= 0) keeper?.complete(WORKSPACE_KEY)
    return
  }
  try {
    const { line, size } = findLastLine(fd, (text) => parseRecordLine(text) !== undefined)
    const end = line?.end ?? 0
    if (size > end) {
      counts.torn++
      if (keeper !== undefined) ftruncateSync(fd, end)
    }
    const logged = line === undefined ? -1 : (parseRecordLine(line.text)?.seq ?? -1)
    if (logged > stored) insertRecords(parts, counts, fd, stored)
    keeper?.adopt(WORKSPACE_KEY, WORKSPACE_LOG, logged, end)
    if (logged < stored && keeper !== undefined) {
      keeper.complete(WORKSPACE_KEY)
      counts.appended += stored - logged
    }
  } finally {
    closeSync(fd)
  }
}

function insertRecords(parts: ReconcileParts, counts: ReconcileCounts, fd: number, stored: number): void {
  inTransaction(parts.database, () => {
    let last = stored
    for (const line of readLines(fd)) {
      if (!line.complete) break
      const parsed = parseRecordLine(line.text)
      if (parsed === undefined) counts.damaged.push(WORKSPACE_LOG)
      if (parsed === undefined || parsed.seq <= last) continue
      last = parsed.seq
      counts.inserted++
      if (parsed.record === undefined)
        parts.database
          .prepare('INSERT INTO workspace_events (seq, event, ts, json) VALUES (?, ?, ?, ?)')
          .run(parsed.seq, parsed.event, parsed.ts, line.text)
      else storeRecord(parts.database, parsed.record, line.text)
      // A snapshot may be older than the deletion.
      if (parsed.record?.event === 'session_deleted') parts.writer.forget(parsed.record.sessionId)
    }
  })
}

function openOrPutAside(parts: ReconcileParts, counts: ReconcileCounts, name: string): number | undefined {
  const path = join(parts.layout.logs, name)
  try {
    return openLogFile(path, parts.keeper === undefined ? 'read' : 'append')
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    counts.unsafe.push(name)
    if (parts.keeper !== undefined) quarantineFile(parts.layout, path, parts.now())
    return undefined
  }
}
