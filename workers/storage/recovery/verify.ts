import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import type { DoctorReport } from '#contracts/storage/storage-service.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { FoldStore } from '../fold-store.ts'
import { checkLayout, layoutOf, type WorkspaceLayout } from '../folders/workspace-layout.ts'
import { migrate } from '../migrate.ts'
import { agentMigrations } from '../migrations/agent-migrations.ts'
import { openConnection } from '../open-database.ts'
import { headsKey, openForWriting } from '../open-workspace.ts'
import { lastSeqs } from '../queries/read-sessions.ts'
import { rowWriter } from '../queries/write-rows.ts'
import type { Workspace } from '../workspace.ts'
import type { Workspaces } from '../workspaces.ts'
import { checkAuditChain } from './audit-chain.ts'
import { compareDatabases } from './compare-databases.ts'
import { openForReading } from './open-for-reading.ts'
import { reconcile } from './reconcile.ts'

/**
 * Compares the database with one made from the logs alone, and computes the audit chain again. Reconciles first when
 * nobody else writes here; else compares as far as both reach.
 */
export function verify(workspaces: Workspaces, root: string): Promise<DoctorReport> {
  return workspaces.exclusively(root, async () => {
    const layout = layoutOf(root)
    checkLayout(layout)
    if (!existsSync(layout.internals) && !existsSync(layout.logs))
      return { sessions: 0, events: 0, auditRows: 0, differences: [], notices: [`${root} holds no data of Metona`] }
    const present = workspaces.find(root)
    if (present !== undefined) {
      await present.queue.drain(5000)
      return compareWithLogs(workspaces, present, false)
    }
    const opened = await openAlone(workspaces, layout)
    try {
      return await compareWithLogs(workspaces, opened.workspace, opened.inUse)
    } finally {
      await opened.workspace.dispose()
    }
  })
}

/** For writing where that is possible at once (it reconciles), else for reading. No files are made from templates. */
async function openAlone(workspaces: Workspaces, layout: WorkspaceLayout): Promise<{ workspace: Workspace; inUse: boolean }> {
  const { profile, now, log, connection } = workspaces
  try {
    const opened = await openForWriting({ root: layout.root, profile, waitMs: 0, language: undefined, now, log, connection })
    return { workspace: opened.workspace, inUse: false }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'WORKSPACE_IN_USE') throw error
    return { workspace: await openForReading(layout, profile, now), inUse: true }
  }
}

/** `inUse`: another program goes on writing while we look. */
export async function compareWithLogs(workspaces: Workspaces, workspace: Workspace, inUse: boolean): Promise<DoctorReport> {
  const { database, layout } = workspace
  const scratch = scratchFolder(workspaces)
  const { database: fromLogs } = openConnection(join(scratch, 'from-logs.db'))
  try {
    fromLogs.pragma('synchronous = OFF')
    migrate(fromLogs, agentMigrations, () => undefined)
    const counts = await reconcile({
      database: fromLogs,
      writer: rowWriter(fromLogs),
      folds: new FoldStore(),
      layout,
      keeper: undefined,
      now: workspaces.now,
    })
    const upTo = inUse ? reachOfBoth(database, fromLogs) : undefined
    const differences = [
      ...counts.damaged.map((place) => ({ kind: 'log_damaged', message: `the log line cannot be read (${place})` })),
      ...counts.unsafe.map((name) => ({ kind: 'log_unsafe', message: `${name} is a link or no regular file` })),
      ...compareDatabases(database, fromLogs, upTo),
      ...checkAuditChain(database, workspaces.profile.auditHeads(headsKey(workspace))),
    ]
    const notices = workspace.banners.list().map((banner) => banner.message)
    return {
      sessions: count(database, 'sessions'),
      events: count(database, 'session_events'),
      auditRows: count(database, 'audit_logs'),
      differences,
      notices,
    }
  } finally {
    fromLogs.close()
    rmSync(scratch, { recursive: true, force: true })
  }
}

function scratchFolder(workspaces: Workspaces): string {
  const parent = join(workspaces.profile.folder, 'tmp')
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  return mkdtempSync(join(parent, 'verify-'))
}

function reachOfBoth(stored: Database, fromLogs: Database): Map<string, number> {
  const logged = lastSeqs(fromLogs)
  const reach = new Map<string, number>()
  for (const [sessionId, lastSeq] of lastSeqs(stored)) {
    const other = logged.get(sessionId)
    if (other !== undefined) reach.set(sessionId, Math.min(lastSeq, other))
  }
  return reach
}

function count(database: Database, table: 'sessions' | 'session_events' | 'audit_logs'): number {
  return database.prepare<[], { count: number }>(`SELECT count(*) AS count FROM ${table}`).get()?.count ?? 0
}
