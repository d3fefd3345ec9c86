import type { Database, Statement } from 'better-sqlite3'
import { searchText } from '../projection/search-text.ts'
import type { AuditRow, EventRow, MessageRow, ProjectedRows, QueuedRow, RecallRow, SessionRow, UsageRow } from '../projection/rows.ts'

/** The writing side of the session tables, prepared once per connection. Called inside a transaction. */
export interface RowWriter {
  event(row: EventRow): void
  projected(sessionId: string, rows: ProjectedRows): void
  session(row: SessionRow): void
  /** Removes every row of a session, its events included. */
  forget(sessionId: string): void
}

const EVENT_COLUMNS = ['session_id', 'seq', 'event_id', 'event', 'turn', 'ts', 'json']
const SESSION_COLUMNS = [
  'session_id',
  'workspace',
  'title',
  'model',
  'pinned',
  'archived',
  'state',
  'since',
  'activity',
  'turn',
  'last_seq',
  'created_at',
  'updated_at',
  'open_turn',
  'fold',
]
const AUDIT_COLUMNS = [
  'session_id',
  'iteration',
  'event_type',
  'actor',
  'target',
  'details',
  'outcome',
  'duration_ms',
  'created_at',
  'log_seq',
  'prev_hash',
  'hash',
]
const USAGE_COLUMNS = [
  'session_id',
  'seq',
  'turn',
  'iteration',
  'provider',
  'model',
  'input_tokens',
  'output_tokens',
  'total_tokens',
  'cache_hit_tokens',
  'cache_miss_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'currency',
  'cost',
  'duration_ms',
  'first_token_ms',
  'queued_ms',
  'ts',
]
const QUEUED_COLUMNS = ['session_id', 'message_id', 'seq', 'content', 'steering', 'ts']
const RECALL_COLUMNS = ['memory_id', 'session_id', 'seq', 'turn', 'score', 'words', 'ts']
const MESSAGE_COLUMNS = ['id', 'session_id', 'seq', 'turn', 'iteration', 'role', 'message_id', 'content', 'ts']

/** Tables that hold rows of a session, besides the full-text index. */
const SESSION_TABLES = [
  'session_events',
  'sessions',
  'messages',
  'audit_logs',
  'usage',
  'queued_messages',
  'partials',
  'memory_recalls',
  'token_counts',
]

export function rowWriter(database: Database): RowWriter {
  const insert = <Row>(table: string, columns: readonly string[], verb = 'INSERT'): Statement<[Row]> =>
    database.prepare<[Row]>(`${verb} INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((column) => `@${column}`).join(', ')})`)
  const event = insert<EventRow>('session_events', EVENT_COLUMNS)
  const session = insert<SessionRow>('sessions', SESSION_COLUMNS, 'INSERT OR REPLACE')
  const audit = insert<AuditRow>('audit_logs', AUDIT_COLUMNS)
  const usage = insert<UsageRow>('usage', USAGE_COLUMNS)
  const queued = insert<QueuedRow>('queued_messages', QUEUED_COLUMNS, 'INSERT OR REPLACE')
  const message = insert<MessageRow & { id: number }>('messages', MESSAGE_COLUMNS)
  const recall = database.prepare<[RecallRow]>(
    // Of an item that is gone the words go too, also when its session is read from the log again.
    `INSERT OR REPLACE INTO memory_recalls (${RECALL_COLUMNS.join(', ')}) VALUES (${RECALL_COLUMNS.map((column) =>
      column === 'words' ? "iif(EXISTS (SELECT 1 FROM memories WHERE id = @memory_id), @words, '[]')" : `@${column}`,
    ).join(', ')})`,
  )
  const dequeue = database.prepare<[string, string]>('DELETE FROM queued_messages WHERE session_id = ? AND message_id = ?')
  const settle = database.prepare<[string, string | null]>('DELETE FROM partials WHERE session_id = ? AND message_id = ?')
  const index = database.prepare<[number, string]>('INSERT INTO messages_fts (rowid, text) VALUES (?, ?)')
  const lastIn = database.prepare<[number, number], { id: number | null }>('SELECT max(id) AS id FROM messages WHERE id >= ? AND id < ?')
  const unindex = database.prepare<[string]>('DELETE FROM messages_fts WHERE rowid IN (SELECT id FROM messages WHERE session_id = ?)')
  const forget = SESSION_TABLES.map((table) => database.prepare<[string]>(`DELETE FROM ${table} WHERE session_id = ?`))

  const freeId = (row: MessageRow): number => {
    const first = firstIdOf(row.ts)
    const last = lastIn.get(first, first + IDS_PER_MILLISECOND)?.id ?? first - 1
    if (last + 1 < first + IDS_PER_MILLISECOND) return last + 1
    // More than fit, as only a made-up log has: behind all others.
    return (lastIn.get(0, Number.MAX_SAFE_INTEGER)?.id ?? 0) + 1
  }
  const writeMessage = (row: MessageRow): void => {
    const id = freeId(row)
    if (row.role === 'assistant') settle.run(row.session_id, row.message_id)
    message.run({ ...row, id })
    index.run(id, searchText(row.content))
  }
  return {
    event: (row) => void event.run(row),
    session: (row) => void session.run(row),
    projected: (sessionId, rows) => {
      if (rows.message !== undefined) writeMessage(rows.message)
      if (rows.audit !== undefined) audit.run(rows.audit)
      if (rows.usage !== undefined) usage.run(rows.usage)
      if (rows.queued !== undefined) queued.run(rows.queued)
      for (const row of rows.recalls ?? []) recall.run(row)
      if (rows.dequeued !== undefined) dequeue.run(sessionId, rows.dequeued)
    },
    forget: (sessionId) => {
      unindex.run(sessionId)
      for (const statement of forget) statement.run(sessionId)
    },
  }
}

/** Below 2^53 until the year 2109. */
const IDS_PER_MILLISECOND = 2048

function firstIdOf(ts: string): number {
  const milliseconds = Date.parse(ts)
  return (Number.isFinite(milliseconds) && milliseconds > 0 && milliseconds < 4_390_000_000_000 ? milliseconds : 0) * IDS_PER_MILLISECOND
}
