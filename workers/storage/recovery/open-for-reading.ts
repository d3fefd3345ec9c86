import { constants, copyFileSync, existsSync, mkdtempSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Banners } from '../banners.ts'
import { checkLayout, type WorkspaceLayout } from '../folders/workspace-layout.ts'
import { isWorkspaceLocked } from '../lock/workspace-lock.ts'
import { latestVersion, migrate, schemaVersion } from '../migrate.ts'
import { agentMigrations } from '../migrations/agent-migrations.ts'
import { openConnection, type Connection } from '../open-database.ts'
import type { Profile } from '../profile/profile.ts'
import { Workspace } from '../workspace.ts'
import { inspectConnection, inspectFile, type Inspection } from './inspect-database.ts'
import { announceReconcile, reconcile } from './reconcile.ts'

/**
 * Opens without a lock, without trust and without changing a byte in the folder: what lies there is foreign data.
 * A database that cannot be used is replaced, in a private place and for this reading only, by one made from the logs.
 */
export async function openForReading(layout: WorkspaceLayout, profile: Profile, now: () => string): Promise<Workspace> {
  checkLayout(layout)
  const banners = new Banners(layout.root)
  const scratch = scratchFolder(profile)
  const workspace: Workspace = new Workspace({
    layout,
    banners,
    now,
    replace: (reason) => {
      workspace.detach()
      return attachFromLogs(
        workspace,
        { state: 'damaged', detail: reason.kind === 'damaged' ? reason.detail : '' },
        mkdtempSync(join(scratch, 'again-')),
        now,
      )
    },
    dispose: async () => {
      await workspace.keeper.close()
      workspace.detach()
      rmSync(scratch, { recursive: true, force: true })
    },
  })
  workspace.readOnly = true
  try {
    const found = openInPlaceOrCopy(
      layout,
      scratch,
      isWorkspaceLocked({ profile: profile.folder, workspace: layout.root, internals: layout.internals }),
    )
    if ('database' in found) workspace.attach(found)
    else await attachFromLogs(workspace, found, scratch, now)
    return workspace
  } catch (error) {
    await workspace.dispose()
    throw error
  }
}

function scratchFolder(profile: Profile): string {
  mkdirSync(profile.scratch, { recursive: true, mode: 0o700 })
  return mkdtempSync(join(profile.scratch, 'read-'))
}

function openInPlaceOrCopy(layout: WorkspaceLayout, scratch: string, inUse: boolean): Connection | Inspection {
  const file = inspectFile(layout.database)
  if (file.state !== 'sound') return file
  // In use: its own program keeps the WAL. Else a copy is read, so that nothing is made or changed here.
  const inPlace = inUse ? tryConnection(() => openConnection(layout.database, { readOnly: true })) : undefined
  const connection = inPlace ?? copyAndOpen(layout, scratch)
  if (!('database' in connection)) return connection
  const inspection = inspectConnection(connection.database, true)
  if (inspection.state !== 'sound' && inspection.state !== 'newer') {
    connection.database.close()
    return inspection
  }
  if (inspection.state === 'newer' || schemaVersion(connection.database) === latestVersion(agentMigrations)) return connection
  connection.database.close()
  return copyAndOpen(layout, scratch)
}

function copyAndOpen(layout: WorkspaceLayout, scratch: string): Connection | Inspection {
  const copy = join(scratch, 'agent.db')
  for (const suffix of ['', '-wal'])
    if (existsSync(`${layout.database}${suffix}`))
      copyFileSync(`${layout.database}${suffix}`, `${copy}${suffix}`, constants.COPYFILE_FICLONE)
  const connection = tryConnection(() => openConnection(copy))
  if (connection === undefined || !('database' in connection))
    return connection ?? { state: 'damaged', detail: 'the database cannot be opened' }
  const inspection = inspectConnection(connection.database, true)
  if (inspection.state === 'sound') {
    migrate(connection.database, agentMigrations, () => undefined)
    return connection
  }
  connection.database.close()
  return inspection
}

/** Undefined when SQLite refuses. */
function tryConnection(open: () => Connection): Connection | undefined {
  try {
    const connection = open()
    connection.database.pragma('user_version')
    return connection
  } catch {
    // The reason is found, and told, by the way that is tried next.
    return undefined
  }
}

async function attachFromLogs(workspace: Workspace, found: Inspection, scratch: string, now: () => string): Promise<void> {
  const connection = openConnection(join(scratch, 'from-logs.db'), {})
  connection.database.pragma('synchronous = OFF')
  migrate(connection.database, agentMigrations, () => undefined)
  workspace.attach(connection)
  const counts = await reconcile({
    database: connection.database,
    writer: workspace.writer,
    folds: workspace.folds,
    layout: workspace.layout,
    keeper: undefined,
    now,
  })
  announceReconcile(workspace.banners, counts, true)
  if (found.state === 'missing' && counts.inserted === 0) return
  workspace.banners.set(
    'warning',
    `DATABASE_${found.state.toUpperCase()}`,
    `${found.detail}. What is shown was read from the logs; nothing in the folder was changed.`,
    { detail: found.detail },
  )
}
