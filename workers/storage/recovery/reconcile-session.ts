import { closeSync, copyFileSync, fstatSync, ftruncateSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StoredEvent } from '../append-events.ts'
import { headOf, parseEventLine } from '../logs/event-line.ts'
import { findLastLine, readLines } from '../logs/log-file.ts'
import type { EventInserter } from './event-inserter.ts'
import { openOrPutAside, type ReconcileCounts, type ReconcileParts } from './reconcile-parts.ts'
import { stampOf } from './snapshots.ts'

export interface SessionLog {
  readonly name: string
  readonly sessionId: string
  /** What the database has of it; -1 for nothing. */
  readonly lastSeq: number
}

/** Where a log really ends: behind its last readable line. */
interface LogEnd {
  readonly seq: number
  readonly end: number
}

export async function reconcileSession(
  parts: ReconcileParts,
  counts: ReconcileCounts,
  inserter: EventInserter,
  log: SessionLog,
): Promise<void> {
  const { keeper } = parts
  const fd = openOrPutAside(parts, counts, log.name)
  if (fd === undefined) {
    if (log.lastSeq < 0 || keeper === undefined) return
    keeper.complete(log.sessionId)
    return
  }
  try {
    const known = log.lastSeq < 0 ? undefined : lastReadable(fd, log.sessionId)
    // A log the database knows nothing of is read once, and its end is found on the way.
    const end = known === undefined || known.seq > log.lastSeq ? await insertLines(counts, inserter, fd, log) : known
    const torn = cutTornEnd(parts, counts, fd, log.name, end.end)
    keeper?.adopt(log.sessionId, log.name, end.seq, end.end)
    if (end.seq < log.lastSeq && keeper !== undefined) {
      keeper.complete(log.sessionId)
      // Filling up is part of the repair: one notice is enough for one log.
      if (!torn) counts.appended += log.lastSeq - end.seq
    }
  } finally {
    closeSync(fd)
  }
}

function lastReadable(fd: number, sessionId: string): LogEnd {
  const { line } = findLastLine(fd, (text) => headOf(text)?.sessionId === sessionId)
  return line === undefined ? { seq: -1, end: 0 } : { seq: headOf(line.text)?.seq ?? -1, end: line.end }
}

async function insertLines(counts: ReconcileCounts, inserter: EventInserter, fd: number, log: SessionLog): Promise<LogEnd> {
  let last: LogEnd = { seq: -1, end: 0 }
  let inserted = log.lastSeq
  let number = 0
  let unreadable: string[] = []
  for (const line of readLines(fd)) {
    number++
    if (!line.complete) break
    const stored = storedEvent(line.text, log.sessionId)
    if (stored === undefined) {
      unreadable.push(`${log.name}:${number}`)
      continue
    }
    // Only with a readable line behind it is it damage; at the end it is a torn tail.
    counts.damaged.push(...unreadable)
    unreadable = []
    last = { seq: Math.max(last.seq, stored.seq), end: line.end }
    if (stored.seq <= inserted) continue
    inserted = stored.seq
    counts.inserted++
    if (inserter.add(log.sessionId, stored)) await nextTurn()
  }
  return last
}

function storedEvent(text: string, sessionId: string): StoredEvent | undefined {
  const line = parseEventLine(text, sessionId)
  if (line === undefined) return undefined
  const { row, event } = line
  return { seq: row.seq, eventId: row.event_id, kind: row.event, turn: row.turn, ts: row.ts, json: row.json, event }
}

/** A half line goes; whole lines that cannot be read are kept aside first. True when there was anything to cut. */
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
