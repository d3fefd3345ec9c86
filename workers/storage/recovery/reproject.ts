import type { Database } from 'better-sqlite3'
import { insertEvents, type StoredEvent } from '../append-events.ts'
import { FoldStore } from '../fold-store.ts'
import { parseEventLine } from '../logs/event-line.ts'
import { inTransaction } from '../migrate.ts'
import type { EventRow } from '../projection/rows.ts'
import { rowWriter } from '../queries/write-rows.ts'

/** Raised whenever the projection makes other rows of the same events; databases made by an older one are then projected anew. */
const PROJECTION_VERSION = 1

/** True when the rows were made by this version's projection. */
export function isProjectionCurrent(database: Database): boolean {
  return (
    database.prepare<[], { value: string }>("SELECT value FROM meta WHERE key = 'projection_version'").get()?.value ===
    String(PROJECTION_VERSION)
  )
}

export function noteProjection(database: Database): void {
  database.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('projection_version', ?)").run(String(PROJECTION_VERSION))
}

/** Makes all rows again from the events the database holds, in one transaction. Partial texts stay. */
export function reproject(database: Database): void {
  inTransaction(database, () => {
    const sessions = database
      .prepare<[], { session_id: string }>('SELECT DISTINCT session_id FROM session_events ORDER BY session_id')
      .all()
    for (const table of ['sessions', 'messages', 'audit_logs', 'usage', 'queued_messages', 'memory_recalls'])
      database.exec(`DELETE FROM ${table}`)
    database.exec("INSERT INTO messages_fts (messages_fts) VALUES ('delete-all')")
    const writer = { ...rowWriter(database), event: () => undefined }
    const folds = new FoldStore()
    for (const { session_id: sessionId } of sessions) {
      insertEvents(database, writer, folds, sessionId, storedEvents(database, sessionId), { allowGaps: true })
      folds.promote()
    }
    noteProjection(database)
  })
}

function storedEvents(database: Database, sessionId: string): StoredEvent[] {
  const rows = database.prepare<[string], EventRow>('SELECT * FROM session_events WHERE session_id = ? ORDER BY seq').all(sessionId)
  return rows.map((row) => ({
    seq: row.seq,
    eventId: row.event_id,
    kind: row.event,
    turn: row.turn,
    ts: row.ts,
    json: row.json,
    event: parseEventLine(row.json, sessionId)?.event,
  }))
}
