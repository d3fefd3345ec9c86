import { mkdirSync, renameSync, existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { AbortSignalLike } from '#contracts/metona/metona-adapter.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { headsKey } from './open-workspace.ts'
import type { Profile } from './profile/profile.ts'
import { workingMemories } from './queries/memories.ts'
import { readFold } from './queries/read-sessions.ts'
import type { Traces } from './traces.ts'
import type { Workspace } from './workspace.ts'

/**
 * Removes a session: its rows at once, its log into the trash. The deletion is on record, with number and hash of what
 * was there, so that no rebuild brings it back. Deleting what is not there does nothing.
 */
export async function deleteSession(
  workspace: Workspace,
  traces: Traces,
  profile: Profile,
  sessionId: string,
  signal: AbortSignalLike,
): Promise<void> {
  const { database, layout } = workspace
  if (workspace.readOnly)
    throw new AppError({ code: 'READ_ONLY', message: `${layout.root} is open for reading only`, params: { path: layout.root } })
  const fold = readFold(database, sessionId)
  if (fold.snapshot.lastSeq < 0) return
  const auditRows =
    database.prepare<[string], { count: number }>('SELECT count(*) AS count FROM audit_logs WHERE session_id = ?').get(sessionId)?.count ??
    0
  await workspace.recordAll(
    (present) => {
      const ids = workingMemories(present, sessionId)
      return {
        drafts: [
          ...(ids.length === 0 ? [] : [{ event: 'memory_removed' as const, ids, reason: 'task_ended' as const }]),
          { event: 'session_deleted', sessionId, lastSeq: fold.snapshot.lastSeq, auditRows, auditHash: fold.auditHash },
        ],
        answer: undefined,
      }
    },
    signal,
    () => {
      workspace.writer.forget(sessionId)
      workspace.folds.forget(sessionId)
    },
  )
  const log = await workspace.keeper.release(sessionId)
  if (log !== undefined && existsSync(log)) {
    mkdirSync(layout.trash, { recursive: true, mode: 0o700 })
    renameSync(log, join(layout.trash, basename(log)))
  }
  await traces.remove(sessionId)
  profile.saveAuditHeads(headsKey(workspace), [], [sessionId])
}
