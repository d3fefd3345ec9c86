import { randomUUID } from 'node:crypto'
import { classifyFault } from '../database-errors.ts'
import { faultBanner } from '../fault-banner.ts'
import { WORKSPACE_KEY } from '../logs/log-keeper.ts'
import { inTransaction } from '../migrate.ts'
import type { ConnectionOptions } from '../open-database.ts'
import { readPartials, writePartial } from '../queries/read-sessions.ts'
import { addRecord, workspaceIdOf } from '../queries/workspace-records.ts'
import type { ReplaceReason, Workspace } from '../workspace.ts'
import { differencesFromLogs } from './differences-from-logs.ts'
import { createAgentDatabase, openAgentDatabase, replaceDatabase, type OpenedDatabase } from './open-agent-database.ts'
import { announceReconcile, reconcile } from './reconcile.ts'
import { isProjectionCurrent, reproject } from './reproject.ts'
import { salvage } from './salvage.ts'

export interface AttachOptions {
  readonly now: () => string
  readonly connection: ConnectionOptions
  /** A private folder for a database that lives as long as a comparison. */
  readonly scratch: string
}

/** Opens or mends the database and makes it agree with the logs. */
export async function attachDatabase(workspace: Workspace, options: AttachOptions): Promise<void> {
  const opened = openAgentDatabase(workspace.layout, workspace.banners, options.now, options.connection)
  workspace.attach(opened)
  if (opened.origin === 'newer') {
    workspace.readOnly = true
    return
  }
  try {
    await fill(workspace, opened, options)
  } catch (error) {
    const fault = classifyFault(error)
    // No room to bring both together: what is there can be read, and the rest follows on the next opening.
    if (fault === 'full') return faultBanner(workspace.banners, 'full', error)
    // Damage that only shows when the pages are used.
    if (fault !== 'corrupt' || opened.origin !== 'sound') throw error
    await replaceAttached(workspace, { kind: 'damaged', detail: error instanceof Error ? error.message : String(error) }, options)
  }
}

/** Puts the attached database aside and another in its place; also while the workspace is in use. */
export async function replaceAttached(workspace: Workspace, reason: ReplaceReason, options: AttachOptions): Promise<void> {
  const { layout, banners } = workspace
  const partials = reason.kind === 'rebuild' ? readPartials(workspace.database, undefined) : []
  workspace.detach()
  const opened =
    reason.kind === 'rebuild'
      ? createAgentDatabase(layout, banners, options.now, options.connection)
      : replaceDatabase(layout, banners, options.now, options.connection, { state: 'damaged', detail: reason.detail })
  workspace.attach(opened)
  for (const partial of partials) writePartial(opened.database, partial)
  await fill(workspace, opened, options)
}

async function fill(workspace: Workspace, opened: OpenedDatabase, { now, scratch }: AttachOptions): Promise<void> {
  const { database } = opened
  const { layout, banners } = workspace
  if (!isProjectionCurrent(database)) reproject(database)
  const counts = await reconcile({ database, writer: workspace.writer, folds: workspace.folds, layout, keeper: workspace.keeper, now })
  announceReconcile(banners, counts, opened.origin === 'logs' || opened.origin === 'snapshot')
  if (opened.altered) await announceAlterations(workspace, scratch)
  if (opened.quarantined !== undefined && opened.found === 'damaged') {
    const saved = salvage(opened.quarantined, { database, writer: workspace.writer, folds: workspace.folds })
    for (const sessionId of saved.keys()) workspace.keeper.complete(sessionId)
    const count = [...saved.values()].reduce((sum, one) => sum + one, 0)
    if (count > 0) banners.extend('DATABASE_DAMAGED', `${count} more entries could be read from the damaged file.`, { salvaged: count })
  }
  if (workspaceIdOf(database) !== undefined) return
  const row = inTransaction(database, () =>
    addRecord(database, { event: 'workspace_created', workspaceId: `w_${randomUUID().replaceAll('-', '')}` }, now()),
  )
  workspace.keeper.append(WORKSPACE_KEY, [row])
}

/** Pages can be sound and rows changed all the same; which side is right is not for us to guess. */
async function announceAlterations(workspace: Workspace, scratch: string): Promise<void> {
  const differences = await differencesFromLogs(workspace, scratch, false)
  const [first] = differences
  if (first === undefined) return
  workspace.banners.set(
    'warning',
    'DATABASE_ALTERED',
    `The database was changed by somebody else and differs from the logs in ${differences.length} places, the first: ${first.message}. "metona doctor --verify" lists them, "--rebuild" makes the database anew from the logs.`,
    { count: differences.length, first: first.message },
  )
}
