/** The rows of `memories` and their index. Writing happens inside a transaction, by way of a workspace record. */
import { createHash } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import type { MemoryEntry, MemoryRecall } from '#contracts/metona/memory-entry.ts'
import { foldText } from '../domain/text-likeness.ts'
import { indexTerms, isSingle } from '../domain/memory-terms.ts'
import type { StoredMemory } from '../logs/workspace-record.ts'
import { statement } from './statement.ts'

interface MemoryRow {
  readonly number: number
  readonly id: string
  readonly type: StoredMemory['type']
  readonly content: string
  readonly summary: string | null
  readonly source: StoredMemory['source']
  readonly importance: number
  readonly session_id: string | null
  readonly position: number | null
  readonly pinned: number
  readonly created_at: number
  readonly updated_at: number
  readonly expires_at: number | null
}

/** Inserts an item, or replaces the one of the same id. */
export function putMemory(database: Database, item: StoredMemory): void {
  const present = statement<[string], { number: number }>(database, 'SELECT number FROM memories WHERE id = ?').get(item.id)
  if (present !== undefined) removeRow(database, present.number)
  const { lastInsertRowid } = statement(
    database,
    `INSERT INTO memories (number, id, type, content, fold, summary, source, importance, session_id, position, pinned, created_at, updated_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    present?.number ?? null,
    item.id,
    item.type,
    item.content.toWellFormed(),
    foldOf(item.content),
    item.summary?.toWellFormed() ?? null,
    item.source,
    item.importance,
    item.sessionId ?? null,
    item.position ?? null,
    item.pinned ? 1 : 0,
    item.createdAt,
    item.updatedAt,
    item.expiresAt ?? null,
  )
  indexMemory(database, lastInsertRowid, item.content, item.summary)
}

function indexMemory(database: Database, number: number | bigint, content: string, summary: string | null | undefined): void {
  statement(database, 'INSERT INTO memories_fts (rowid, terms) VALUES (?, ?)').run(
    number,
    indexTerms(typeof summary === 'string' ? `${content}\n${summary}` : content).join(' '),
  )
}

/** Makes the index anew from the rows, as it is made today; inside a transaction. */
export function indexMemoriesAnew(database: Database): void {
  database.exec("INSERT INTO memories_fts (memories_fts) VALUES ('delete-all')")
  const page = database.prepare<[number], Pick<MemoryRow, 'number' | 'content' | 'summary'>>(
    'SELECT number, content, summary FROM memories WHERE number > ? ORDER BY number LIMIT 1000',
  )
  for (let last = 0, rows = page.all(last); rows.length > 0; rows = page.all(last))
    for (const row of rows) {
      indexMemory(database, row.number, row.content, row.summary)
      last = row.number
    }
}

export function removeMemories(database: Database, ids: readonly string[]): void {
  for (const id of ids) {
    const row = statement<[string], { number: number }>(database, 'SELECT number FROM memories WHERE id = ?').get(id)
    if (row !== undefined) removeRow(database, row.number)
    statement(database, "UPDATE memory_recalls SET words = '[]' WHERE memory_id = ?").run(id)
  }
}

/**
 * The index only marks what was removed; made of one piece again it holds nothing of it. 22 ms of work for 10,000 items, a fifth of a
 * second for 100,000: for what a person deletes, not for what expires. Inside a transaction.
 */
export function purgeMemoryIndex(database: Database): void {
  database.exec("INSERT INTO memories_fts (memories_fts) VALUES ('optimize')")
}

function removeRow(database: Database, number: number): void {
  statement(database, 'DELETE FROM memories_fts WHERE rowid = ?').run(number)
  statement(database, 'DELETE FROM memories WHERE number = ?').run(number)
}

export function readMemory(database: Database, id: string): StoredMemory | undefined {
  const row = statement<[string], MemoryRow>(database, 'SELECT * FROM memories WHERE id = ?').get(id)
  return row === undefined ? undefined : stored(row)
}

/** The item that says the same already, unless it has expired; a working one only within its session. */
export function sameMemory(
  database: Database,
  item: Pick<StoredMemory, 'type' | 'content' | 'sessionId'>,
  now: number,
): StoredMemory | undefined {
  const rows = statement<[string, number], MemoryRow>(
    database,
    'SELECT * FROM memories WHERE fold = ? AND (expires_at IS NULL OR expires_at > ?) ORDER BY number',
  ).all(foldOf(item.content), now)
  return rows
    .map(stored)
    .find((other) => (item.type === 'working' ? other.type !== 'working' || other.sessionId === item.sessionId : other.type !== 'working'))
}

function foldOf(content: string): string {
  return createHash('sha256').update(foldText(content)).digest('hex').slice(0, 24)
}

/** @param now milliseconds since the epoch; what has expired by then is left out. */
export function listMemories(
  database: Database,
  about: { type: StoredMemory['type'] | undefined; limit: number; offset: number; now: number },
): { items: StoredMemory[]; total: number } {
  const where = 'FROM memories WHERE (expires_at IS NULL OR expires_at > ?) AND (? IS NULL OR type = ?)'
  const type = about.type ?? null
  const rows = statement<[number, string | null, string | null, number, number], MemoryRow>(
    database,
    `SELECT * ${where} ORDER BY pinned DESC, created_at DESC, number DESC LIMIT ? OFFSET ?`,
  ).all(about.now, type, type, about.limit, about.offset)
  const total = statement<[number, string | null, string | null], { count: number }>(database, `SELECT count(*) AS count ${where}`).get(
    about.now,
    type,
    type,
  )
  return { items: rows.map(stored), total: total?.count ?? 0 }
}

/** Those of the ids whose row says it is pinned, newest first: how many others say so of themselves makes no difference. */
export function pinnedMemories(database: Database, ids: readonly string[], now: number): StoredMemory[] {
  return statement<[string, number], MemoryRow>(
    database,
    `SELECT * FROM memories WHERE id IN (SELECT value FROM json_each(?)) AND pinned = 1 AND (expires_at IS NULL OR expires_at > ?)
     ORDER BY created_at DESC, number DESC`,
  )
    .all(JSON.stringify(ids), now)
    .map(stored)
}

/** The items of a session that end with its task. */
export function workingMemories(database: Database, sessionId: string): string[] {
  return statement<[string], { id: string }>(database, "SELECT id FROM memories WHERE session_id = ? AND type = 'working' ORDER BY id")
    .all(sessionId)
    .map((row) => row.id)
}

export function expiredMemories(database: Database, now: number): string[] {
  return statement<[number], { id: string }>(database, 'SELECT id FROM memories WHERE expires_at <= ? ORDER BY id')
    .all(now)
    .map((row) => row.id)
}

export function nextPosition(database: Database, sessionId: string): number {
  const last = statement<[string], { last: number | null }>(database, 'SELECT max(position) AS last FROM memories WHERE session_id = ?')
  return (last.get(sessionId)?.last ?? -1) + 1
}

/** Who looks, and when: what has expired and what other sessions note for themselves is not there for anybody else. */
export interface MemoryViewer {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Whose working memories are seen; `all` for a person who looks through the workspace. */
  readonly working: 'all' | { readonly sessionId: string | undefined }
}

const SEEN = "(expires_at IS NULL OR expires_at > ?) AND (type <> 'working' OR ? OR session_id = ?)"

function seenBy({ now, working }: MemoryViewer): [number, number, string | null] {
  return [now, working === 'all' ? 1 : 0, working === 'all' ? null : (working.sessionId ?? null)]
}

/** What the viewer sees of a session's items at these places. */
export function memoriesAt(database: Database, sessionId: string, from: number, to: number, viewer: MemoryViewer): StoredMemory[] {
  return statement<[string, number, number, number, number, string | null], MemoryRow>(
    database,
    `SELECT * FROM memories WHERE session_id = ? AND position BETWEEN ? AND ? AND ${SEEN}`,
  )
    .all(sessionId, from, to, ...seenBy(viewer))
    .map(stored)
}

/**
 * Items with at least one of the terms, those with the most and rarest first. What the viewer does not see is left out before
 * the best are taken: the index hands out its rows in order, so that only as many are looked up as it takes.
 */
export function memoriesWith(database: Database, terms: readonly string[], limit: number, viewer: MemoryViewer): StoredMemory[] {
  return statement<[string, number, number, string | null, number], MemoryRow>(
    database,
    `SELECT memories.* FROM memories_fts CROSS JOIN memories ON memories.number = memories_fts.rowid
     WHERE memories_fts MATCH ? AND ${SEEN} ORDER BY memories_fts.rank LIMIT ?`,
  )
    .all(terms.map((term) => (isSingle(term) ? `"${term}" *` : `"${term}"`)).join(' OR '), ...seenBy(viewer), limit)
    .map(stored)
}

/** For what the index cannot hold: single characters, signs. Newest first. */
export function memoriesContaining(database: Database, text: string, limit: number, viewer: MemoryViewer): StoredMemory[] {
  return statement<[string, number, number, string | null, number], MemoryRow>(
    database,
    `SELECT * FROM memories WHERE content LIKE ? ESCAPE '\\' AND ${SEEN} ORDER BY created_at DESC LIMIT ?`,
  )
    .all(`%${text.replace(/[\\%_]/g, '\\$&')}%`, ...seenBy(viewer), limit)
    .map(stored)
}

interface RecallRow {
  readonly session_id: string
  readonly seq: number
  readonly turn: number | null
  readonly score: number
  readonly words: string
  readonly ts: string
}

export function readRecalls(database: Database, id: string, limit: number): { recalls: MemoryRecall[]; total: number } {
  const rows = statement<[string, number], RecallRow>(
    database,
    'SELECT session_id, seq, turn, score, words, ts FROM memory_recalls WHERE memory_id = ? ORDER BY ts DESC, seq DESC LIMIT ?',
  ).all(id, limit)
  const total = statement<[string], { count: number }>(database, 'SELECT count(*) AS count FROM memory_recalls WHERE memory_id = ?').get(id)
  return {
    recalls: rows.map((row) => ({
      sessionId: row.session_id,
      seq: row.seq,
      ...(row.turn === null ? {} : { turn: row.turn }),
      score: row.score,
      words: JSON.parse(row.words) as string[],
      ts: row.ts,
    })),
    total: total?.count ?? 0,
  }
}

function stored(row: MemoryRow): StoredMemory {
  return {
    id: row.id,
    type: row.type,
    content: row.content,
    ...(row.summary === null ? {} : { summary: row.summary }),
    source: row.source,
    importance: row.importance,
    ...(row.session_id === null ? {} : { sessionId: row.session_id }),
    ...(row.position === null ? {} : { position: row.position }),
    pinned: row.pinned === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
  }
}

/** Without what only ranking needs; pinned only when the person did it. */
export function toEntry({ position: _position, ...entry }: StoredMemory, pinned: boolean): MemoryEntry {
  return { ...entry, pinned }
}
