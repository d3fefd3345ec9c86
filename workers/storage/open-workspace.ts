import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Banners } from './banners.ts'
import { classifyFault } from './database-errors.ts'
import { faultBanner } from './fault-banner.ts'
import { checkLayout, layoutOf, makeFolders, type WorkspaceLayout } from './folders/workspace-layout.ts'
import { writingFault } from './folders/probe-writing.ts'
import { writeTemplates } from './folders/templates.ts'
import { acquireWorkspaceLock } from './lock/workspace-lock.ts'
import { inTransaction } from './migrate.ts'
import type { ConnectionOptions } from './open-database.ts'
import type { Profile } from './profile/profile.ts'
import { workspaceIdOf } from './queries/workspace-records.ts'
import { attachDatabase, replaceAttached } from './recovery/attach-database.ts'
import { writeCleanMark } from './recovery/clean-mark.ts'
import { snapshotOnClose, startMaintenance } from './recovery/maintenance.ts'
import { openForReading } from './recovery/open-for-reading.ts'
import { Workspace } from './workspace.ts'

/** Less than the caller's deadline. */
const OPEN_WAIT_MS = 60_000

export interface OpenOptions {
  readonly root: string
  readonly profile: Profile
  readonly waitMs: number
  /** Of the files made from templates; undefined makes none. */
  readonly language: 'zh' | 'en' | undefined
  readonly now: () => string
  readonly log: (message: string) => void
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
    const fault = classifyFault(error)
    if (fault !== 'read_only' && fault !== 'full') throw error
    return openUnwritable(options, layout, fault)
  }
  const lock = await acquireWorkspaceLock(
    { profile: options.profile.folder, workspace: options.root, internals: layout.internals },
    options.waitMs,
    options.now,
  )
  const banners = new Banners(options.root)
  let stopMaintenance = (): void => undefined
  let opening: Workspace | undefined
  try {
    const attaching = { now: options.now, connection: options.connection, scratch: options.profile.scratch }
    const workspace: Workspace = new Workspace({
      layout,
      banners,
      now: options.now,
      replace: (reason) => replaceAttached(workspace, reason, attaching),
      dispose: async () => {
        stopMaintenance()
        try {
          await closeQuietly(workspace, options.profile, options.now)
        } finally {
          lock.release()
        }
      },
    })
    opening = workspace
    await whenFree(workspace, () => attachDatabase(workspace, attaching))
    stopMaintenance = startMaintenance(workspace, options.now, options.log)
    const created =
      options.language === undefined
        ? []
        : writeTemplates(options.root, layout.internals, options.language, { workspace: options.root, now: options.now() })
    return { workspace, created }
  } catch (error) {
    // In this order: the next holder of the lock must find nobody at the files.
    stopMaintenance()
    await opening?.keeper.close()
    opening?.detach()
    lock.release()
    const fault = classifyFault(error)
    const cause =
      fault === 'other' || fault === 'corrupt' || fault === 'busy'
        ? undefined
        : (writingFault(layout.internals) ?? (fault === 'io' ? undefined : fault))
    if (cause !== undefined) return openUnwritable(options, layout, cause)
    throw error
  }
}

/** A database another program holds (a backup, a virus scanner) is a delay here as everywhere. */
async function whenFree(workspace: Workspace, attach: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + OPEN_WAIT_MS
  for (;;) {
    try {
      await attach()
      return workspace.banners.clear('DATABASE_BUSY')
    } catch (error) {
      workspace.detach()
      if (classifyFault(error) !== 'busy' || performance.now() > deadline) throw error
      faultBanner(workspace.banners, 'busy', error)
      await sleep(100)
    }
  }
}

async function openUnwritable(options: OpenOptions, layout: WorkspaceLayout, fault: 'read_only' | 'full'): Promise<OpenedWorkspace> {
  const workspace = await openForReading(layout, options.profile, options.now)
  if (fault === 'full')
    workspace.banners.set(
      'error',
      'DISK_FULL',
      `The disk of ${options.root} is full; the workspace is open for reading only. Make room and open it again.`,
    )
  else workspace.banners.set('warning', 'WORKSPACE_READ_ONLY', `${options.root} cannot be written; it is open for reading only.`)
  return { workspace, created: [] }
}

/** The folder and the workspace in it: another one made in its place has another history. */
export function headsKey(workspace: Workspace): string {
  return `${workspace.layout.root}#${workspaceIdOf(workspace.database) ?? ''}`
}

async function closeQuietly(workspace: Workspace, profile: Profile, now: () => string): Promise<void> {
  await workspace.keeper.close()
  try {
    if (!workspace.readOnly) {
      saveHeads(workspace, profile)
      savePositions(workspace)
      if (workspace.folderInPlace()) snapshotOnClose(workspace, now())
    }
    workspace.detach()
    if (!workspace.readOnly && workspace.folderInPlace() && !existsSync(`${workspace.layout.database}-wal`))
      writeCleanMark(workspace.layout)
  } catch (error) {
    // These are aids for the next opening, which does without them; an end must not fail for a full disk.
    if (classifyFault(error) === 'other') throw error
  } finally {
    workspace.detach()
  }
}

function savePositions(workspace: Workspace): void {
  const { database } = workspace
  inTransaction(database, () => {
    database.exec('DELETE FROM log_files')
    const put = database.prepare('INSERT INTO log_files (name, bytes, last_seq) VALUES (?, ?, ?)')
    for (const position of workspace.keeper.positions()) put.run(position.name, position.bytes, position.lastSeq)
  })
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
  profile.saveAuditHeads(headsKey(workspace), heads, [])
}
