import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import type { DoctorReport } from '#contracts/storage/doctor-report.ts'
import { FoldStore } from '../fold-store.ts'
import { parseSessionLogName } from '../logs/log-names.ts'
import { migrate } from '../migrate.ts'
import { agentMigrations } from '../migrations/agent-migrations.ts'
import { openConnection } from '../open-database.ts'
import { lastSeqs } from '../queries/read-sessions.ts'
import { rowWriter } from '../queries/write-rows.ts'
import type { Workspace } from '../workspace.ts'
import { compareDatabases, type Reach } from './compare-databases.ts'
import { reconcile } from './reconcile.ts'

/**
 * Where the workspace's database and one made from its logs alone differ. `inUse`: writing goes on while we look, so each
 * session is compared as far as both reach. `scratch` is a private folder.
 */
export async function differencesFromLogs(workspace: Workspace, scratch: string, inUse: boolean): Promise<DoctorReport['differences']> {
  mkdirSync(scratch, { recursive: true, mode: 0o700 })
  const folder = mkdtempSync(join(scratch, 'verify-'))
  const { database: fromLogs } = openConnection(join(folder, 'from-logs.db'))
  try {
    fromLogs.pragma('synchronous = OFF')
    migrate(fromLogs, agentMigrations, () => undefined)
    const counts = await reconcile({
      database: fromLogs,
      writer: rowWriter(fromLogs),
      folds: new FoldStore(),
      layout: workspace.layout,
      keeper: undefined,
      now: () => new Date(0).toISOString(),
    })
    return [
      ...counts.unreadable.map((place) => ({ kind: 'log_damaged', message: `the log line cannot be read (${place})` })),
      ...counts.unsafe.map((name) => ({ kind: 'log_unsafe', message: `${name} is a link or no regular file` })),
      ...gapsIn(workspace.database),
      ...compareDatabases(workspace.database, fromLogs, inUse ? reachOfBoth(workspace, fromLogs) : undefined),
    ]
  } finally {
    fromLogs.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function reachOfBoth(workspace: Workspace, fromLogs: Database): Reach {
  const logged = lastSeqs(fromLogs)
  const reach = new Map<string, { lastSeq: number; even: boolean }>()
  for (const [sessionId, lastSeq] of lastSeqs(workspace.database)) {
    const other = logged.get(sessionId)
    // One that began a moment ago has its log by now; one that still has none lacks it.
    if (other !== undefined) reach.set(sessionId, { lastSeq: Math.min(lastSeq, other), even: lastSeq === other })
    else if (!hasLog(workspace.layout.logs, sessionId)) reach.set(sessionId, { lastSeq, even: true })
  }
  return reach
}

function hasLog(folder: string, sessionId: string): boolean {
  return existsSync(folder) && readdirSync(folder).some((name) => parseSessionLogName(name)?.sessionId === sessionId)
}

/** Numbers are gapless: one that is missing in the middle was lost, whatever the logs say. */
function gapsIn(database: Database): DoctorReport['differences'] {
  const rows = database
    .prepare<[], { session_id: string; seq: number }>(
      `SELECT session_id, seq FROM (SELECT session_id, seq, lag(seq, 1, -1) OVER (PARTITION BY session_id ORDER BY seq) AS previous FROM session_events)
       WHERE seq <> previous + 1 ORDER BY session_id, seq`,
    )
    .all()
  return rows.map((row) => ({
    kind: 'gap',
    sessionId: row.session_id,
    seq: row.seq,
    message: `events before ${row.seq} are missing (${row.session_id})`,
  }))
}
