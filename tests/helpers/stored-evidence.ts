/**
 * What is on the disk of a workspace, read without any code of the app: log lines as bytes, rows by SQLite itself.
 * To be used when no app runs in the folder, or when it does not matter that one does.
 */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import DatabaseConstructor, { type Database } from 'better-sqlite3'

/** A parsed line of a log, or a row's text. */
export type StoredEvent = Record<string, unknown> & {
  readonly seq: number
  readonly event: string
  readonly sessionId: string
  readonly turn?: number
  readonly ts: string
}

export interface Evidence {
  /** Lines per session, as they are in its log. */
  readonly log: ReadonlyMap<string, readonly string[]>
  /** Row texts per session, in the order of `seq`. */
  readonly rows: ReadonlyMap<string, readonly string[]>
  readonly partials: number
  /** `ok` from a sound database. */
  readonly quickCheck: string
}

/** @throws when a log line is no JSON, a log does not end with a line break, or the database cannot be read. */
export async function readEvidence(workspace: string): Promise<Evidence> {
  const log = await readLogs(workspace)
  const database = openReadOnly(workspace)
  try {
    const rows = new Map<string, string[]>()
    for (const row of database
      .prepare<[], { session_id: string; seq: number; json: string }>(
        'SELECT session_id, seq, json FROM session_events ORDER BY session_id, seq',
      )
      .iterate()) {
      const list = rows.get(row.session_id) ?? []
      if (row.seq !== list.length) throw new Error(`rows of ${row.session_id}: ${list.length} is missing, ${row.seq} follows`)
      list.push(row.json)
      rows.set(row.session_id, list)
    }
    const partials = database.prepare<[], { n: number }>('SELECT count(*) AS n FROM partials').get()?.n ?? 0
    return { log, rows, partials, quickCheck: String(database.pragma('quick_check', { simple: true })) }
  } finally {
    database.close()
  }
}

export function openReadOnly(workspace: string): Database {
  return new DatabaseConstructor(path.join(workspace, '.metona', 'agent.db'), { readonly: true, timeout: 10_000 })
}

export async function readLogs(workspace: string): Promise<Map<string, string[]>> {
  const folder = path.join(workspace, 'logs')
  const logs = new Map<string, string[]>()
  for (const name of await readdir(folder)) {
    const sessionId = /^session_(s_[0-9a-z]+)_\d{8}T\d{6}Z\.jsonl$/.exec(name)?.[1]
    if (sessionId === undefined) continue
    const text = await readFile(path.join(folder, name), 'utf8')
    if (text !== '' && !text.endsWith('\n')) throw new Error(`${name} ends within a line`)
    const lines = text.split('\n').slice(0, -1)
    lines.forEach((line, index) => {
      if (parseStored(line).seq !== index) throw new Error(`${name}: line ${index + 1} has another seq: ${line.slice(0, 120)}`)
    })
    logs.set(sessionId, lines)
  }
  return logs
}

export function parseStored(line: string): StoredEvent {
  return JSON.parse(line) as StoredEvent
}

/**
 * What is missing or different, one sentence each: logs against rows, both against what an observer saw.
 * @param seen whole lines of events, as the observer got them.
 */
export function differencesTo(seen: readonly string[], { log, rows, quickCheck }: Evidence): string[] {
  const found: string[] = []
  if (quickCheck !== 'ok') found.push(`quick_check: ${quickCheck}`)
  for (const sessionId of new Set([...log.keys(), ...rows.keys()])) {
    const [lines, stored] = [log.get(sessionId) ?? [], rows.get(sessionId) ?? []]
    if (lines.length !== stored.length) found.push(`${sessionId}: ${lines.length} lines, ${stored.length} rows`)
    lines.forEach((line, seq) => {
      if (line !== stored[seq]) found.push(`${sessionId} ${seq}: line and row differ`)
    })
  }
  const last = new Map<string, number>()
  for (const line of seen) {
    const { sessionId, seq, event } = parseStored(line)
    if (seq <= (last.get(sessionId) ?? -1)) found.push(`${sessionId} ${seq}: shown out of order`)
    last.set(sessionId, seq)
    if (log.get(sessionId)?.[seq] !== line)
      found.push(`${sessionId} ${seq} ${event}: shown, but the log has ${log.get(sessionId)?.[seq]?.slice(0, 160) ?? 'nothing'}`)
  }
  return found
}

/** Every intent has exactly one outcome, every turn exactly one end: what is wrong, one sentence each. */
export function unsettled(lines: readonly string[]): string[] {
  const found: string[] = []
  const results = new Map<string, number>()
  const calls: string[] = []
  const ends = new Map<number, number>()
  const turns = new Set<number>()
  for (const event of lines.map(parseStored)) {
    if (event.turn !== undefined) turns.add(event.turn)
    if (event.event === 'llm_response') for (const call of (event['toolCalls'] ?? []) as { id: string }[]) calls.push(call.id)
    if (event.event === 'tool_result') results.set(String(event['toolCallId']), (results.get(String(event['toolCallId'])) ?? 0) + 1)
    if (event.event === 'turn_end') ends.set(Number(event.turn), (ends.get(Number(event.turn)) ?? 0) + 1)
  }
  for (const id of calls) if (results.get(id) !== 1) found.push(`call ${id} has ${results.get(id) ?? 0} results`)
  for (const turn of turns) if (ends.get(turn) !== 1) found.push(`turn ${turn} has ${ends.get(turn) ?? 0} ends`)
  return found
}
