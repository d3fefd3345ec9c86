import { closeSync, copyFileSync, fstatSync, ftruncateSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import { parseEventLine } from '../logs/event-line.ts'
import { readLines } from '../logs/log-file.ts'
import type { LogRow } from '../logs/log-writer.ts'
import { readEventRows } from '../queries/read-sessions.ts'
import type { EventInserter } from './event-inserter.ts'
import { openOrPutAside, type ReconcileCounts, type ReconcileParts } from './reconcile-parts.ts'
import { stampOf } from './snapshots.ts'

export interface SessionLog {
  readonly name: string
  readonly sessionId: string
  /** What the database has of it; -1 for nothing. */
  readonly lastSeq: number
  /** Up to here the file was synced and equal to the database at the last clean close. */
  readonly safe: { readonly bytes: number; readonly lastSeq: number }
}

/** How far a log is good, line for line. */
interface LogWalk {
  seq: number
  end: number
  /** False from the first line on that is not what it should be. */
  good: boolean
  inserted: boolean
}

const ROWS_AT_ONCE = 500

/**
 * Compares a log with the database from the last safe place on. Lines the database lacks go into it; a log with
 * anything else than the database's rows in it (a power cut leaves holes and halves) is cut there and filled again.
 */
export async function reconcileSession(
  parts: ReconcileParts,
  counts: ReconcileCounts,
  inserter: EventInserter,
  log: SessionLog,
): Promise<void> {
  const { keeper } = parts
  const fd = openOrPutAside(parts, counts, log.name)
  if (fd === undefined) {
    if (log.lastSeq >= 0) keeper?.complete(log.sessionId)
    return
  }
  try {
    const walk = await walkLog(parts, counts, inserter, fd, log)
    const torn = cutTornEnd(parts, counts, fd, log.name, walk.end)
    if (keeper === undefined) return
    keeper.adopt(log.sessionId, log.name, walk.seq, walk.end)
    if (walk.good && walk.seq >= log.lastSeq) return
    if (walk.inserted) inserter.flush()
    keeper.complete(log.sessionId)
    // Filling up is part of the repair: one notice is enough for one log.
    if (!torn) counts.appended += log.lastSeq - walk.seq
  } finally {
    closeSync(fd)
  }
}

async function walkLog(
  parts: ReconcileParts,
  counts: ReconcileCounts,
  inserter: EventInserter,
  fd: number,
  log: SessionLog,
): Promise<LogWalk> {
  const { size } = fstatSync(fd)
  const safe = log.safe.bytes <= size && log.safe.lastSeq <= log.lastSeq ? log.safe : { bytes: 0, lastSeq: -1 }
  const rows = storedRows(parts.database, log.sessionId, safe.lastSeq + 1)
  const walk: LogWalk = { seq: safe.lastSeq, end: safe.bytes, good: true, inserted: false }
  let known = log.lastSeq
  let unreadable: string[] = []
  let number = 0
  for (const line of readLines(fd, safe.bytes)) {
    number++
    if (!line.complete) break
    const row = walk.good ? rows.next().value : undefined
    if (row !== undefined && row.json === line.text) {
      walk.seq = row.seq
      walk.end = line.end
      continue
    }
    // The database has something else here, or (`row` is undefined) nothing any more.
    if (row !== undefined) walk.good = false
    const parsed = parseEventLine(line.text, log.sessionId)
    if (parsed === undefined) {
      walk.good = false
      unreadable.push(`${log.name}:${safe.bytes === 0 ? '' : '+'}${number}`)
      continue
    }
    const { row: found, event } = parsed
    if (found.seq <= known) {
      walk.good = false
      continue
    }
    // With a readable line behind them they are damage; at the end they are a torn tail.
    counts.unreadable.push(...unreadable)
    unreadable = []
    if (found.seq > known + 1) counts.gaps.push(`${log.sessionId}/${known + 1}`)
    known = found.seq
    counts.inserted++
    walk.inserted = true
    if (walk.good) {
      walk.seq = found.seq
      walk.end = line.end
    }
    const full = inserter.add(log.sessionId, {
      seq: found.seq,
      eventId: found.event_id,
      kind: found.event,
      turn: found.turn,
      ts: found.ts,
      json: found.json,
      event,
    })
    if (full) await nextTurn()
  }
  return walk
}

function* storedRows(database: Database, sessionId: string, fromSeq: number): Generator<LogRow, undefined> {
  for (let next = fromSeq; ;) {
    const rows = readEventRows(database, sessionId, next, ROWS_AT_ONCE)
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < ROWS_AT_ONCE) return undefined
    next = last.seq + 1
  }
}

/** A half line goes; where whole lines go with it, the file is kept aside first. True when there was anything to cut. */
export function cutTornEnd(parts: ReconcileParts, counts: ReconcileCounts, fd: number, name: string, end: number): boolean {
  const { size } = fstatSync(fd)
  if (size <= end) return false
  counts.torn++
  if (parts.keeper === undefined) return true
  if ([...readLines(fd, end)].some((line) => line.complete)) {
    const folder = join(parts.layout.quarantine, 'files')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    copyFileSync(join(parts.layout.logs, name), join(folder, `${stampOf(parts.now())}-${name}`))
  }
  ftruncateSync(fd, end)
  return true
}
