import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import type { Banners } from '../banners.ts'
import type { WorkspaceLayout } from '../folders/workspace-layout.ts'
import { parseSessionLogName } from '../logs/log-names.ts'
import { lastSeqs } from '../queries/read-sessions.ts'
import { deletedSessions } from '../queries/workspace-records.ts'
import { EventInserter } from './event-inserter.ts'
import type { ReconcileCounts, ReconcileParts } from './reconcile-parts.ts'
import { reconcileSession } from './reconcile-session.ts'
import { reconcileWorkspaceLog } from './reconcile-workspace-log.ts'

/**
 * Makes database and logs say the same: what only the logs have is inserted, what only the database has is appended,
 * torn ends are cut off. A log whose size is that of the last clean close is not even opened.
 */
export async function reconcile(parts: ReconcileParts): Promise<ReconcileCounts> {
  const { database } = parts
  // What comes from the logs need not be synced row by row: after a power cut it is simply done again.
  const synchronous = database.pragma('synchronous', { simple: true }) as number
  database.pragma(`synchronous = ${Math.min(synchronous, 1)}`)
  try {
    return await reconcileAll(parts)
  } finally {
    if (database.open) database.pragma(`synchronous = ${synchronous}`)
  }
}

async function reconcileAll(parts: ReconcileParts): Promise<ReconcileCounts> {
  const { database, keeper, layout } = parts
  const counts: ReconcileCounts = { inserted: 0, appended: 0, torn: 0, unreadable: [], gaps: [], unsafe: [] }
  reconcileWorkspaceLog(parts, counts)
  const known = lastSeqs(database)
  const deleted = deletedSessions(database)
  const clean = cleanPositions(database)
  const inserter = new EventInserter(parts)
  const seen = new Set<string>()
  for (const { name, sessionId } of sessionLogs(layout)) {
    if (deleted.has(sessionId) || seen.has(sessionId)) continue
    seen.add(sessionId)
    const lastSeq = known.get(sessionId) ?? -1
    const position = clean.get(name)
    if (position?.lastSeq === lastSeq && lstatSync(join(layout.logs, name), { throwIfNoEntry: false })?.size === position.bytes) {
      keeper?.adopt(sessionId, name, lastSeq, position.bytes)
      continue
    }
    await reconcileSession(parts, counts, inserter, { name, sessionId, lastSeq, safe: position ?? { bytes: 0, lastSeq: -1 } })
    await nextTurn()
  }
  inserter.flush()
  for (const [sessionId, lastSeq] of known) {
    if (seen.has(sessionId) || keeper === undefined) continue
    keeper.complete(sessionId)
    counts.appended += lastSeq + 1
  }
  return counts
}

/** One notice for each kind of thing that was done. `rebuilding` has its own notice for what was inserted. */
export function announceReconcile(banners: Banners, counts: ReconcileCounts, rebuilding: boolean): void {
  const { inserted, appended, torn, gaps, unsafe } = counts
  if (inserted > 0 && !rebuilding)
    banners.set('info', 'DATABASE_COMPLETED', `${inserted} entries that only the logs had were added to the database.`, { count: inserted })
  if (appended > 0)
    banners.set('info', 'LOG_COMPLETED', `${appended} entries that only the database had were added to the logs.`, { count: appended })
  if (torn > 0 && gaps.length === 0)
    banners.set('info', 'LOG_REPAIRED', `${torn} log files had torn or unreadable lines and were repaired.`, { count: torn })
  if (gaps.length > 0)
    banners.set(
      'warning',
      'LOG_DAMAGED',
      `${gaps.length} entries cannot be read and are lost: ${gaps.slice(0, 5).join(', ')}. The damaged logs were kept in .metona/quarantine/files.`,
      { count: gaps.length },
    )
  if (unsafe.length > 0)
    banners.set('warning', 'LOG_UNSAFE', `Log files that are links or no regular files were put aside: ${unsafe.slice(0, 5).join(', ')}`, {
      count: unsafe.length,
    })
}

/** In order of their beginning; of two files of one session the earlier. */
function sessionLogs(layout: WorkspaceLayout): { name: string; sessionId: string }[] {
  if (!existsSync(layout.logs)) return []
  return readdirSync(layout.logs)
    .flatMap((name) => {
      const parsed = parseSessionLogName(name)
      return parsed === undefined ? [] : [{ name, ...parsed }]
    })
    .sort((left, right) =>
      left.startedAt === right.startedAt ? compare(left.sessionId, right.sessionId) : compare(left.startedAt, right.startedAt),
    )
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

function cleanPositions(database: Database): Map<string, { bytes: number; lastSeq: number }> {
  const rows = database.prepare<[], { name: string; bytes: number; last_seq: number }>('SELECT name, bytes, last_seq FROM log_files').all()
  return new Map(rows.map((row) => [row.name, { bytes: row.bytes, lastSeq: row.last_seq }]))
}
