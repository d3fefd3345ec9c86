import type { Database } from 'better-sqlite3'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import type { SessionSummary } from '#contracts/session/session-snapshot.ts'
import type { PartialText } from '#contracts/storage/partial-text.ts'
import { statement } from './statement.ts'
import { isKnownKind } from '../logs/event-line.ts'
import type { EventRow, SessionRow } from '../projection/rows.ts'
import { emptyFold, type SessionFold } from '../projection/session-fold.ts'

export function readFold(database: Database, sessionId: string): SessionFold {
  const row = statement<[string], { fold: string }>(database, 'SELECT fold FROM sessions WHERE session_id = ?').get(sessionId)
  return row === undefined ? emptyFold(sessionId) : (parseStored(row.fold) as SessionFold)
}

/** Written by us and by nobody else: text that does not parse is a damaged database, and is treated as one. */
function parseStored(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw Object.assign(new Error('the text of a row is damaged'), { code: 'SQLITE_CORRUPT', cause: error })
  }
}

/** Rows of a session from `fromSeq` on, with the stored text of each event. */
export function readEventRows(database: Database, sessionId: string, fromSeq: number, limit: number): Pick<EventRow, 'seq' | 'json'>[] {
  return statement<[string, number, number], Pick<EventRow, 'seq' | 'json'>>(
    database,
    'SELECT seq, json FROM session_events WHERE session_id = ? AND seq >= ? ORDER BY seq LIMIT ?',
  ).all(sessionId, fromSeq, limit)
}

/** Events in order; kinds of a newer version are passed over. The caller's schema checks the known ones. */
export function readEvents(database: Database, sessionId: string, fromSeq: number, limit: number): SessionEvent[] {
  const events: SessionEvent[] = []
  for (const row of readEventRows(database, sessionId, fromSeq, limit)) {
    const value = parseStored(row.json)
    if (isKnownEvent(value)) events.push(value)
  }
  return events
}

function isKnownEvent(value: unknown): value is SessionEvent {
  return typeof value === 'object' && value !== null && 'event' in value && typeof value.event === 'string' && isKnownKind(value.event)
}

export function eventIdAt(database: Database, sessionId: string, seq: number): string | undefined {
  return statement<[string, number], { event_id: string }>(
    database,
    'SELECT event_id FROM session_events WHERE session_id = ? AND seq = ?',
  ).get(sessionId, seq)?.event_id
}

type SummaryRow = Omit<SessionRow, 'fold' | 'open_turn'>

/** Newest first. `workspace` is where the folder is now, not where it was when a session began. */
export function listSessions(database: Database, workspace: string): SessionSummary[] {
  const rows = statement<[], SummaryRow>(
    database,
    'SELECT session_id, workspace, title, model, pinned, archived, state, since, activity, turn, last_seq, created_at, updated_at FROM sessions ORDER BY updated_at DESC, session_id',
  ).all()
  return rows.map((row) => ({
    sessionId: row.session_id,
    workspace,
    title: row.title,
    model: row.model,
    pinned: row.pinned === 1,
    archived: row.archived === 1,
    state: row.state as SessionSummary['state'],
    since: row.since,
    ...(row.activity === null ? {} : { activity: row.activity }),
    turn: row.turn,
    lastSeq: row.last_seq,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }))
}

export function unfinishedSessions(database: Database): string[] {
  return statement<[], { session_id: string }>(database, 'SELECT session_id FROM sessions WHERE open_turn = 1 ORDER BY session_id')
    .all()
    .map((row) => row.session_id)
}

export function lastSeqs(database: Database): Map<string, number> {
  const rows = statement<[], { session_id: string; last_seq: number }>(database, 'SELECT session_id, last_seq FROM sessions').all()
  return new Map(rows.map((row) => [row.session_id, row.last_seq]))
}

interface PartialRow {
  readonly session_id: string
  readonly message_id: string
  readonly turn: number
  readonly iteration: number
  readonly text: string
  readonly thinking: string
  readonly updated_at: string
}

export function readPartials(database: Database, sessionId: string | undefined): PartialText[] {
  const rows = statement<[string | null, string | null], PartialRow>(
    database,
    'SELECT * FROM partials WHERE ? IS NULL OR session_id = ? ORDER BY session_id, updated_at',
  ).all(sessionId ?? null, sessionId ?? null)
  return rows.map((row) => ({
    sessionId: row.session_id,
    messageId: row.message_id,
    turn: row.turn,
    iteration: row.iteration,
    text: row.text,
    thinking: row.thinking,
    updatedAt: row.updated_at,
  }))
}

export function writePartial(database: Database, partial: PartialText): void {
  statement(
    database,
    'INSERT OR REPLACE INTO partials (session_id, message_id, turn, iteration, text, thinking, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  ).run(
    partial.sessionId,
    partial.messageId,
    partial.turn,
    partial.iteration,
    partial.text.toWellFormed(),
    partial.thinking.toWellFormed(),
    partial.updatedAt,
  )
}

export function clearPartials(database: Database, sessionId: string): void {
  statement(database, 'DELETE FROM partials WHERE session_id = ?').run(sessionId)
}
