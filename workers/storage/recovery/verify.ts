import { existsSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import type { DoctorReport } from '#contracts/storage/doctor-report.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { checkLayout, layoutOf, type WorkspaceLayout } from '../folders/workspace-layout.ts'
import { headsKey, openForWriting } from '../open-workspace.ts'
import type { Workspace } from '../workspace.ts'
import type { Workspaces } from '../workspaces.ts'
import { checkAuditChain } from './audit-chain.ts'
import { differencesFromLogs } from './differences-from-logs.ts'
import { openForReading } from './open-for-reading.ts'

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
      present.keeper.completeBehind()
      return compareWithLogs(workspaces, present, true)
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

/** `inUse`: writing goes on, here or in another program, while we look. */
export async function compareWithLogs(workspaces: Workspaces, workspace: Workspace, inUse: boolean): Promise<DoctorReport> {
  const { database } = workspace
  const { profile } = workspaces
  const differences = [
    ...(await differencesFromLogs(workspace, profile.scratch, inUse)),
    ...checkAuditChain(database, profile.auditHeads(headsKey(workspace))),
  ]
  const notices = workspace.banners.list().map((banner) => banner.message)
  return {
    sessions: count(database, 'sessions'),
    events: count(database, 'session_events'),
    auditRows: count(database, 'audit_logs'),
    differences,
    notices,
  }
}

function count(database: Database, table: 'sessions' | 'session_events' | 'audit_logs'): number {
  return database.prepare<[], { count: number }>(`SELECT count(*) AS count FROM ${table}`).get()?.count ?? 0
}
