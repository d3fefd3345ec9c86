import type { Database } from 'better-sqlite3'
import { McpServerEntrySchema, type McpServerEntry } from '#contracts/tools/mcp-entry.ts'
import { putMemory, removeMemories } from './memories.ts'
import { parseObject } from '../logs/event-line.ts'
import type { LogRow } from '../logs/log-writer.ts'
import { WorkspaceRecordSchema, type WorkspaceRecord, type WorkspaceRecordDraft } from '../logs/workspace-record.ts'

export function lastRecordSeq(database: Database): number {
  return database.prepare<[], { seq: number | null }>('SELECT max(seq) AS seq FROM workspace_events').get()?.seq ?? -1
}

export function readRecords(database: Database, fromSeq: number, limit: number): LogRow[] {
  return database
    .prepare<[number, number], LogRow>('SELECT seq, json FROM workspace_events WHERE seq >= ? ORDER BY seq LIMIT ?')
    .all(fromSeq, limit)
}

/** Numbers, stores and applies a record; inside a transaction. */
export function addRecord(database: Database, draft: WorkspaceRecordDraft, ts: string): LogRow {
  const { event, ...fields } = draft
  const record = WorkspaceRecordSchema.parse({ seq: lastRecordSeq(database) + 1, ts, event, ...fields })
  return storeRecord(database, record, JSON.stringify(record))
}

/** Stores a record under its own number, as found in the log; inside a transaction. */
export function storeRecord(database: Database, record: WorkspaceRecord, json: string): LogRow {
  database.prepare('INSERT INTO workspace_events (seq, event, ts, json) VALUES (?, ?, ?, ?)').run(record.seq, record.event, record.ts, json)
  applyRecord(database, record)
  return { seq: record.seq, json }
}

/** A kind only a newer version knows: kept, not applied. */
export function storeUnknownRecord(database: Database, head: { seq: number; event: string; ts: string }, json: string): void {
  database.prepare('INSERT INTO workspace_events (seq, event, ts, json) VALUES (?, ?, ?, ?)').run(head.seq, head.event, head.ts, json)
}

/** Undefined for a damaged line. A record of a newer version has `record` undefined. */
export function parseRecordLine(text: string): { seq: number; event: string; ts: string; record: WorkspaceRecord | undefined } | undefined {
  const value = parseObject(text)
  if (
    value === undefined ||
    typeof value.seq !== 'number' ||
    !Number.isInteger(value.seq) ||
    typeof value.event !== 'string' ||
    typeof value.ts !== 'string'
  )
    return undefined
  return { seq: value.seq, event: value.event, ts: value.ts, record: WorkspaceRecordSchema.safeParse(value).data }
}

function applyRecord(database: Database, record: WorkspaceRecord): void {
  switch (record.event) {
    case 'workspace_created':
      database.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('workspace_id', ?)").run(record.workspaceId)
      return
    case 'config_set':
      database
        .prepare('INSERT OR REPLACE INTO app_config (key, value, category, updated_at) VALUES (?, ?, ?, ?)')
        .run(record.key, record.value, record.category, record.ts)
      return
    case 'mcp_set':
      return putServer(database, record.server, record.ts)
    case 'mcp_removed':
      database.prepare('DELETE FROM mcp_servers WHERE id = ?').run(record.id)
      return
    case 'memory_set':
      return putMemory(database, record.item)
    case 'memory_removed':
      return removeMemories(database, record.ids)
    case 'session_deleted':
      database.prepare('INSERT OR REPLACE INTO deleted_sessions (session_id, ts) VALUES (?, ?)').run(record.sessionId, record.ts)
  }
}

function putServer(database: Database, server: McpServerEntry, ts: string): void {
  const created =
    database.prepare<[string], { created_at: string }>('SELECT created_at FROM mcp_servers WHERE id = ?').get(server.id)?.created_at ?? ts
  database
    .prepare(
      'INSERT OR REPLACE INTO mcp_servers (id, name, transport, command, args, url, enabled, created_at, updated_at, env, headers) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    )
    .run(
      server.id,
      server.name,
      server.transport,
      server.command ?? null,
      jsonOrNull(server.args),
      server.url ?? null,
      server.enabled ? 1 : 0,
      created,
      ts,
      jsonOrNull(server.env),
      jsonOrNull(server.headers),
    )
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

interface ServerRow {
  readonly id: string
  readonly name: string
  readonly transport: McpServerEntry['transport']
  readonly command: string | null
  readonly args: string | null
  readonly url: string | null
  readonly enabled: number
  readonly env: string | null
  readonly headers: string | null
}

/** What a row holds that something else wrote, and that is no entry, costs that row alone. */
export function listServers(database: Database): { servers: McpServerEntry[]; unreadable: string[] } {
  const servers: McpServerEntry[] = []
  const unreadable: string[] = []
  for (const row of database.prepare<[], ServerRow>('SELECT * FROM mcp_servers ORDER BY name').all()) {
    const entry = McpServerEntrySchema.safeParse({
      id: row.id,
      name: row.name,
      transport: row.transport,
      ...(row.command === null ? {} : { command: row.command }),
      ...(row.args === null ? {} : { args: parseJson(row.args) }),
      ...(row.url === null ? {} : { url: row.url }),
      ...(row.env === null ? {} : { env: parseJson(row.env) }),
      ...(row.headers === null ? {} : { headers: parseJson(row.headers) }),
      enabled: row.enabled === 1,
    })
    if (entry.success) servers.push(entry.data)
    else unreadable.push(String(row.id))
  }
  return { servers, unreadable }
}

export function hasServer(database: Database, id: string): boolean {
  return database.prepare<[string], { id: string }>('SELECT id FROM mcp_servers WHERE id = ?').get(id) !== undefined
}

/** Null, which no field takes, for what is no JSON. */
function parseJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    // The row is told of as unreadable.
    return null
  }
}

export function workspaceConfig(database: Database): Map<string, string> {
  const rows = database.prepare<[], { key: string; value: string }>('SELECT key, value FROM app_config').all()
  return new Map(rows.map((row) => [row.key, row.value]))
}

/** Undefined before the first record. */
export function workspaceIdOf(database: Database): string | undefined {
  return database.prepare<[], { value: string }>("SELECT value FROM meta WHERE key = 'workspace_id'").get()?.value
}

export function deletedSessions(database: Database): Set<string> {
  return new Set(
    database
      .prepare<[], { session_id: string }>('SELECT session_id FROM deleted_sessions')
      .all()
      .map((row) => row.session_id),
  )
}
