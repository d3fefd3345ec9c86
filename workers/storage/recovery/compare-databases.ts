import type { Database } from 'better-sqlite3'
import type { DoctorReport } from '#contracts/storage/doctor-report.ts'

type Difference = DoctorReport['differences'][number]
type Row = Record<string, unknown>

interface ComparedTable {
  readonly table: string
  /** In order; the values of one row are unique. */
  readonly key: readonly string[]
  readonly columns: string
  /** Column that holds the event's number, for tables that may be ahead of the log while the app runs. */
  readonly seq?: string
}

/** Everything that must follow from the logs. `id` of audit rows and the partial texts are not among it. */
const TABLES: readonly ComparedTable[] = [
  { table: 'session_events', key: ['session_id', 'seq'], columns: 'session_id, seq, event_id, event, turn, ts, json', seq: 'seq' },
  { table: 'sessions', key: ['session_id'], columns: '*', seq: 'last_seq' },
  { table: 'messages', key: ['session_id', 'seq'], columns: 'session_id, seq, turn, iteration, role, message_id, content, ts', seq: 'seq' },
  {
    table: 'audit_logs',
    key: ['session_id', 'log_seq'],
    columns: 'session_id, log_seq, iteration, event_type, actor, target, details, outcome, duration_ms, created_at, prev_hash, hash',
    seq: 'log_seq',
  },
  { table: 'usage', key: ['session_id', 'seq'], columns: '*', seq: 'seq' },
  { table: 'queued_messages', key: ['session_id', 'message_id'], columns: '*', seq: 'seq' },
  { table: 'app_config', key: ['key'], columns: '*' },
  { table: 'mcp_servers', key: ['id'], columns: '*' },
  {
    table: 'memories',
    key: ['id'],
    columns: 'id, type, content, summary, source, importance, session_id, position, pinned, created_at, updated_at, expires_at',
  },
  { table: 'memory_recalls', key: ['memory_id', 'session_id', 'seq'], columns: '*', seq: 'seq' },
  { table: 'deleted_sessions', key: ['session_id'], columns: '*' },
  { table: 'workspace_events', key: ['seq'], columns: '*' },
]

/** The index's own count of words per message, joined to what the message is. */
const SEARCH_SQL = `SELECT messages.session_id AS session_id, messages.seq AS seq, hex(messages_fts_docsize.sz) AS words
  FROM messages LEFT JOIN messages_fts_docsize ON messages_fts_docsize.id = messages.id ORDER BY 1, 2`

const MEMORY_SEARCH_SQL = `SELECT memories.id AS id, hex(memories_fts_docsize.sz) AS words
  FROM memories LEFT JOIN memories_fts_docsize ON memories_fts_docsize.id = memories.number ORDER BY 1`

/** Per session: up to which event both sides are compared, and whether both end there. */
export type Reach = ReadonlyMap<string, { readonly lastSeq: number; readonly even: boolean }>

/** At most so many are listed; the count of the rest is added. */
const LISTED = 200

/**
 * Every row of `stored` beside the one made from the logs. With `reach`, rows beyond a session's number there are left
 * out on both sides (the app is running and the log is a moment behind, or the copy was taken a moment before).
 */
export function compareDatabases(stored: Database, fromLogs: Database, reach: Reach | undefined): Difference[] {
  const differences: Difference[] = []
  for (const table of TABLES) {
    const sql = `SELECT ${table.columns} FROM ${table.table} ORDER BY ${table.key.map((column) => `${column} COLLATE BINARY`).join(', ')}`
    compareRows(stored, fromLogs, sql, table.table, table.key, (row) => isBeyond(row, table, reach), differences)
  }
  compareRows(
    stored,
    fromLogs,
    SEARCH_SQL,
    'search',
    ['session_id', 'seq'],
    (row) => isBeyond(row, { table: 'search', key: [], columns: '', seq: 'seq' }, reach),
    differences,
  )
  compareRows(stored, fromLogs, MEMORY_SEARCH_SQL, 'memory_search', ['id'], () => false, differences)
  if (differences.length > LISTED) {
    const more = differences.length - LISTED
    return [...differences.slice(0, LISTED), { kind: 'more', message: `and ${more} more` }]
  }
  return differences
}

function isBeyond(row: Row, table: ComparedTable, reach: Reach | undefined): boolean {
  if (reach === undefined || table.seq === undefined) return false
  const session = reach.get(String(row.session_id))
  if (session === undefined) return true
  // These rows speak of the whole session and not of one event.
  if (table.table === 'sessions' || table.table === 'queued_messages') return !session.even
  const seq = row[table.seq]
  return typeof seq === 'number' && seq > session.lastSeq
}

function compareRows(
  stored: Database,
  fromLogs: Database,
  sql: string,
  table: string,
  key: readonly string[],
  skip: (row: Row) => boolean,
  differences: Difference[],
): void {
  const left = rowsOf(stored, sql, skip)
  const right = rowsOf(fromLogs, sql, skip)
  try {
    mergeRows(left, right, table, key, differences)
  } finally {
    // A damaged page ends one of them; the other must not keep its connection busy.
    left.return(undefined)
    right.return(undefined)
  }
}

function mergeRows(left: Generator<Row>, right: Generator<Row>, table: string, key: readonly string[], differences: Difference[]): void {
  let one = left.next()
  let other = right.next()
  while (one.done !== true || other.done !== true) {
    const order = one.done === true ? 1 : other.done === true ? -1 : compareKeys(one.value, other.value, key)
    if (order < 0 && one.done !== true) {
      differences.push(differenceOf(table, key, one.value, `${table}: not in the logs`, 'extra'))
      one = left.next()
    } else if (order > 0 && other.done !== true) {
      differences.push(differenceOf(table, key, other.value, `${table}: missing in the database`, 'missing'))
      other = right.next()
    } else if (one.done !== true && other.done !== true) {
      const columns = changedColumns(one.value, other.value)
      if (columns.length > 0)
        differences.push(differenceOf(table, key, one.value, `${table}: ${columns.join(', ')} differ from the logs`, 'changed'))
      one = left.next()
      other = right.next()
    }
  }
}

function* rowsOf(database: Database, sql: string, skip: (row: Row) => boolean): Generator<Row> {
  for (const row of database.prepare<[], Row>(sql).iterate()) if (!skip(row)) yield row
}

/** As SQLite sorts with BINARY: NULL, numbers, text by its bytes. */
function compareKeys(left: Row, right: Row, key: readonly string[]): number {
  for (const column of key) {
    const order = compareValues(left[column], right[column])
    if (order !== 0) return order
  }
  return 0
}

function compareValues(left: unknown, right: unknown): number {
  if (left === right) return 0
  const rank = rankOf(left) - rankOf(right)
  if (rank !== 0) return rank
  if (typeof left === 'number' && typeof right === 'number') return left - right
  return Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)))
}

function rankOf(value: unknown): number {
  return value === null ? 0 : typeof value === 'number' ? 1 : 2
}

function changedColumns(left: Row, right: Row): string[] {
  return Object.keys(left).filter(
    (column) => left[column] !== right[column] && (column !== 'fold' || canonical(left[column]) !== canonical(right[column])),
  )
}

/** JSON with sorted keys: the order in which a fold came about says nothing. */
function canonical(text: unknown): string {
  try {
    return JSON.stringify(JSON.parse(String(text)), (_key, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
        : value,
    )
  } catch {
    // Not JSON any more: then it differs.
    return String(text)
  }
}

function differenceOf(table: string, key: readonly string[], row: Row, message: string, what: string): Difference {
  const seq = row.seq ?? row.log_seq ?? row.last_seq
  const place = key.map((column) => String(row[column])).join('/')
  return {
    kind: `${table}_${what}`,
    ...(typeof row.session_id === 'string' ? { sessionId: row.session_id } : {}),
    ...(typeof seq === 'number' ? { seq } : {}),
    message: `${message} (${place})`,
  }
}
