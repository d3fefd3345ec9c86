import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expiredMemories } from '../queries/memories.ts'
import type { Workspace } from '../workspace.ts'
import { listSnapshots, stampOf, takeSnapshot, takeSnapshotNow } from './snapshots.ts'

const DAY_MS = 86_400_000
const FIRST_LOOK_MS = 10_000
const TRASH_DAYS = 30
/** A larger database is copied while the app runs, not while somebody waits for it to end. */
const QUICK_COPY_BYTES = 32 * 1024 * 1024

/** A verified snapshot a day, and old trash goes. Returns how to stop it. */
export function startMaintenance(workspace: Workspace, now: () => string, log: (message: string) => void): () => void {
  const run = async (): Promise<void> => {
    emptyTrash(workspace.layout.trash, now())
    await forgetExpired(workspace, now())
    if (isSnapshotDue(workspace, now())) await takeSnapshot(workspace.database, workspace.layout, now())
  }
  const guarded = (): void => {
    // Nothing depends on it: what fails now (a full disk) is tried again tomorrow.
    run().catch((error: unknown) => log(`maintenance: ${String(error)}`))
  }
  const first = setTimeout(guarded, FIRST_LOOK_MS)
  const daily = setInterval(guarded, DAY_MS)
  first.unref()
  daily.unref()
  return () => {
    clearTimeout(first)
    clearInterval(daily)
  }
}

/** What has expired is no longer found from that moment on; here its rows go, on record. */
export async function forgetExpired(workspace: Workspace, now: string): Promise<void> {
  if (workspace.readOnly || workspace.queue.stalled) return
  await workspace.recordAll((database) => {
    const ids = expiredMemories(database, Date.parse(now))
    return { drafts: ids.length === 0 ? [] : [{ event: 'memory_removed', ids, reason: 'expired' }], answer: undefined }
  }, new AbortController().signal)
}

/** Programs that run for seconds never reach the first look. */
export function snapshotOnClose(workspace: Workspace, now: string): void {
  if (!isSnapshotDue(workspace, now) || statSync(workspace.layout.database).size > QUICK_COPY_BYTES) return
  takeSnapshotNow(workspace.database, workspace.layout, now, undefined)
}

function isSnapshotDue(workspace: Workspace, now: string): boolean {
  if (workspace.readOnly || workspace.queue.stalled || !workspace.folderInPlace()) return false
  const newest = listSnapshots(workspace.layout)[0]?.stamp
  if (newest !== undefined && newest > stampOf(new Date(Date.parse(now) - DAY_MS).toISOString()) && newest <= stampOf(now)) return false
  return workspace.database.prepare('SELECT 1 FROM session_events LIMIT 1').get() !== undefined
}

function emptyTrash(folder: string, now: string): void {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    // Nothing was ever deleted.
    return
  }
  for (const name of names) {
    const file = join(folder, name)
    if (Date.parse(now) - statSync(file).mtimeMs > TRASH_DAYS * DAY_MS) rmSync(file, { force: true })
  }
}
