import type { Database } from 'better-sqlite3'
import { searchQuery, snippetOf } from '../projection/search-text.ts'

export interface SearchHit {
  readonly sessionId: string
  readonly seq: number
  readonly title: string
  readonly snippet: string
  readonly ts: string
}

interface HitRow {
  readonly session_id: string
  readonly seq: number
  readonly title: string
  readonly content: string
  readonly ts: string
}

/** Messages that contain every word of the query, newest first. */
export function searchMessages(database: Database, query: string, limit: number): SearchHit[] {
  const match = searchQuery(query)
  if (match === undefined) return []
  const rows = database
    .prepare<[string, number], HitRow>(
      `SELECT messages.session_id, messages.seq, sessions.title, messages.content, messages.ts
       FROM (SELECT rowid AS id FROM messages_fts WHERE messages_fts MATCH ? ORDER BY rowid DESC LIMIT ?) AS found
       JOIN messages ON messages.id = found.id
       JOIN sessions ON sessions.session_id = messages.session_id
       ORDER BY messages.ts DESC, messages.session_id, messages.seq`,
    )
    .all(match, limit)
  return rows.map((row) => ({
    sessionId: row.session_id,
    seq: row.seq,
    title: row.title,
    snippet: snippetOf(row.content, query),
    ts: row.ts,
  }))
}
