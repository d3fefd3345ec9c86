import { existsSync } from 'node:fs'
import { Banners } from './banners.ts'
import { classifyFault } from './database-errors.ts'
import { checkLayout, layoutOf, makeFolders, type WorkspaceLayout } from './folders/workspace-layout.ts'
import { writeTemplates } from './folders/templates.ts'
import { acquireWorkspaceLock } from './lock/workspace-lock.ts'
import type { ConnectionOptions } from './open-database.ts'
import type { Profile } from './profile/profile.ts'
import { readPartials, writePartial } from './queries/read-sessions.ts'
import { writeCleanMark } from './recovery/clean-mark.ts'
import { createAgentDatabase, openAgentDatabase } from './recovery/open-agent-database.ts'
import { openForReading } from './recovery/open-for-reading.ts'
import { quarantineDatabase } from './recovery/quarantine.ts'
import { announceReconcile, reconcile } from './recovery/reconcile.ts'
import { Workspace } from './workspace.ts'

export interface OpenOptions {
  readonly root: string
  readonly profile: Profile
  readonly waitMs: number
  /** Of the files made from templates; undefined makes none. */
  readonly language: 'zh' | 'en' | undefined
  readonly now: () => string
  readonly connection: ConnectionOptions
}

export interface OpenedWorkspace {
  readonly workspace: Workspace
  readonly created: string[]
}

/** Opens for writing, with the lock; a folder that cannot be written is opened for reading, and that is said. */
export async function openForWriting(options: OpenOptions): Promise<OpenedWorkspace> {
  const layout = layoutOf(options.root)
  checkLayout(layout)
  try {
    makeFolders(layout)
  } catch (error) {
    if (classifyFault(error) !== 'read_only') throw error
    return openUnwritable(options, layout)
  }
  const lock = await acquireWorkspaceLock(
    { profile: options.profile.folder, workspace: options.root, internals: layout.internals },
    options.waitMs,
    options.now,
  )
  const banners = new Banners(options.root)
  try {
    const workspace: Workspace = new Workspace({
      layout,
      banners,
      now: options.now,
      reopen: (rebuild) => attachDatabase(workspace, options, rebuild),
      dispose: async () => {
        await closeQuietly(workspace, options.profile)
        lock.release()
      },
    })
    await attachDatabase(workspace, options, false)
    workspace.noteUnfinished()
    const created =
      options.language === undefined
        ? []
        : writeTemplates(options.root, layout.internals, options.language, { workspace: options.root, now: options.now() })
    return { workspace, created }
  } catch (error) {
    lock.release()
    if (classifyFault(error) === 'read_only') return openUnwritable(options, layout)
    throw error
  }
}

async function openUnwritable(options: OpenOptions, layout: WorkspaceLayout): Promise<OpenedWorkspace> {
  const workspace = await openForReading(layout, options.profile, options.now)
  workspace.banners.set('warning', 'WORKSPACE_READ_ONLY', `${options.root} cannot be written; it is open for reading only.`)
  return { workspace, created: [] }
}

/**
 * Opens or mends the database and makes it agree with the logs; also while the workspace is in use, after damage.
 * `anew` puts a sound one aside as well.
 */
async function attachDatabase(workspace: Workspace, options: OpenOptions, anew: boolean): Promise<void> {
  const { layout, banners } = workspace
  const partials = anew ? readPartials(workspace.database, undefined) : []
  workspace.detach()
  if (anew) quarantineDatabase(layout, options.now())
  const opened = anew
    ? createAgentDatabase(layout, banners, options.connection)
    : openAgentDatabase(layout, banners, options.now, options.connection)
  workspace.attach(opened)
  if (opened.origin === 'newer') {
    workspace.readOnly = true
    return
  }
  for (const partial of partials) writePartial(opened.database, partial)
  const counts = await reconcile({
    database: opened.database,
    writer: workspace.writer,
    folds: workspace.folds,
    layout,
    keeper: workspace.keeper,
    now: options.now,
  })
  announceReconcile(banners, counts, opened.origin === 'logs' || opened.origin === 'snapshot')
}

async function closeQuietly(workspace: Workspace, profile: Profile): Promise<void> {
  await workspace.keeper.close()
  if (!workspace.readOnly) {
    saveHeads(workspace, profile)
    savePositions(workspace)
  }
  workspace.detach()
  if (!workspace.readOnly && !existsSync(`${workspace.layout.database}-wal`)) writeCleanMark(workspace.layout)
}

function savePositions(workspace: Workspace): void {
  const { database } = workspace
  database.exec('BEGIN IMMEDIATE')
  database.exec('DELETE FROM log_files')
  const put = database.prepare('INSERT INTO log_files (name, bytes, last_seq) VALUES (?, ?, ?)')
  for (const position of workspace.keeper.positions()) put.run(position.name, position.bytes, position.lastSeq)
  database.exec('COMMIT')
}

/** The profile remembers how far each session's audit chain had come. */
export function saveHeads(workspace: Workspace, profile: Profile): void {
  const heads = workspace.takeChangedSessions().flatMap((sessionId) => {
    const row = workspace.database
      .prepare<[string], { log_seq: number; hash: string }>(
        'SELECT log_seq, hash FROM audit_logs WHERE session_id = ? ORDER BY log_seq DESC LIMIT 1',
      )
      .get(sessionId)
    return row === undefined ? [] : [{ sessionId, logSeq: row.log_seq, hash: row.hash }]
  })
  profile.saveAuditHeads(workspace.layout.root, heads, [])
}
