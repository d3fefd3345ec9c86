import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { insertEvents, type StoredEvent } from '../append-events.ts'
import type { FoldStore } from '../fold-store.ts'
import { parseEventLine } from '../logs/event-line.ts'
import { isSessionId } from '../logs/log-names.ts'
import { inTransaction } from '../migrate.ts'
import { openConnection } from '../open-database.ts'
import type { EventRow } from '../projection/rows.ts'
import { lastSeqs } from '../queries/read-sessions.ts'
import { deletedSessions } from '../queries/workspace-records.ts'
import type { RowWriter } from '../queries/write-rows.ts'

/**
 * Takes from a damaged database the events the new one does not have (the log may lack the last seconds): per session
 * as far as they follow without a gap and read as events. Returns how many of each session. Whatever
 * cannot be read is left there.
 */
export function salvage(folder: string, target: { database: Database; writer: RowWriter; folds: FoldStore }): Map<string, number> {
  const file = join(folder, 'agent.db')
  const saved = new Map<string, number>()
  if (!existsSync(file)) return saved
  let damaged: Database
  try {
    damaged = openConnection(file, { readOnly: true }).database
  } catch {
    // Too damaged to open: the logs are what there is.
    return saved
  }
  try {
    const known = lastSeqs(target.database)
    const deleted = deletedSessions(target.database)
    for (const sessionId of sessionsIn(damaged)) {
      if (!isSessionId(sessionId) || deleted.has(sessionId)) continue
      const events = eventsAfter(damaged, sessionId, known.get(sessionId) ?? -1)
      if (events.length === 0) continue
      inTransaction(target.database, () => insertEvents(target.database, target.writer, target.folds, sessionId, events))
      target.folds.promote()
      saved.set(sessionId, events.length)
    }
    return saved
  } finally {
    damaged.close()
  }
}

function sessionsIn(damaged: Database): string[] {
  try {
    return damaged
      .prepare<[], { session_id: string }>('SELECT DISTINCT session_id FROM session_events')
      .all()
      .map((row) => row.session_id)
  } catch {
    // The table itself is damaged.
    return []
  }
}

function eventsAfter(damaged: Database, sessionId: string, lastSeq: number): StoredEvent[] {
  const events: StoredEvent[] = []
  let expected = lastSeq + 1
  try {
    for (const row of damaged
      .prepare<[string, number], EventRow>('SELECT * FROM session_events WHERE session_id = ? AND seq > ? ORDER BY seq')
      .iterate(sessionId, lastSeq)) {
      const line = parseEventLine(row.json, sessionId)
      if (line === undefined || line.row.seq !== expected) break
      events.push({
        seq: line.row.seq,
        eventId: line.row.event_id,
        kind: line.row.event,
        turn: line.row.turn,
        ts: line.row.ts,
        json: row.json,
        event: line.event,
      })
      expected++
    }
  } catch {
    // A damaged page: what came before it counts.
  }
  return events
}
