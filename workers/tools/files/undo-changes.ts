/** Takes changes back, newest first. A file that is not as the change left it is refused, the others go on. */
import { realpath, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolError } from '../domain/tool-error.ts'
import { protectionOf } from '../domain/protected-paths.ts'
import { readTextFile } from '../text/text-file.ts'
import type { ToolServices } from '../tool-services.ts'
import { hashBytes, stampFromStats } from './file-guard.ts'
import { explainPathError, openPath } from './open-path.ts'
import type { StoredChange } from './checkpoint-store.ts'
import { writeWholeFile } from './write-file.ts'

export interface UndoResult {
  readonly restored: { readonly path: string; readonly callId: string; readonly removed: boolean }[]
  readonly refused: { readonly path: string; readonly callId: string; readonly reason: string }[]
}

/** `callIds` absent: every change of the session. */
export async function undoChanges(
  services: ToolServices,
  workspace: string,
  sessionId: string,
  callIds: readonly string[] | undefined,
): Promise<UndoResult> {
  const root = await realpath(workspace)
  const all = await services.checkpoints.list(root, sessionId)
  const wanted = all.filter((change) => callIds === undefined || callIds.includes(change.callId)).reverse()
  const result: { restored: UndoResult['restored']; refused: UndoResult['refused'] } = { restored: [], refused: [] }
  const stuck = new Set<string>()
  for (const change of wanted) {
    // Once a newer change of a file could not be taken back, the older ones beneath it cannot either.
    const reason = stuck.has(change.path)
      ? 'a later change of this file could not be taken back'
      : await undoOne(services, root, sessionId, change)
    if (reason === undefined) result.restored.push({ path: change.path, callId: change.callId, removed: change.before === null })
    else {
      stuck.add(change.path)
      result.refused.push({ path: change.path, callId: change.callId, reason })
    }
  }
  return result
}

async function undoOne(services: ToolServices, root: string, sessionId: string, change: StoredChange): Promise<string | undefined> {
  try {
    return await services.guard.exclusively(join(root, change.path), async () => {
      const path = await openPath(root, change.path)
      try {
        if (!path.inside || path.segments.join('/') !== change.path || protectionOf(path.segments, 'write')?.level === 'refuse')
          return 'its path leads somewhere else now'
        const current = path.kind === 'file' ? (await readTextFile(path, change.path)).version.hash : undefined
        if (current === undefined) return path.kind === 'missing' ? 'it was removed since' : 'something else is in its place'
        if (current !== change.after) return 'it was changed since'
        if (change.before === null) await rm(join(path.parentAccessPath, path.namesBelowParent.at(-1) as string))
        else {
          const bytes = await services.checkpoints.content(root, sessionId, change.before)
          await writeWholeFile(path, { root, requested: change.path, bytes })
          // The session knows what stands there now; other sessions are told when they write.
          services.guard.noteWrite(
            path.realPath,
            { sessionId, callId: change.callId, at: services.now() },
            { stamp: stampFromStats(await stat(path.realPath, { bigint: true })), hash: hashBytes(bytes), bytes },
          )
        }
        await services.checkpoints.markUndone(root, sessionId, change)
        return undefined
      } finally {
        await path.close()
      }
    })
  } catch (error) {
    const explained = explainPathError(error, change.path)
    return explained instanceof ToolError || explained instanceof Error ? explained.message : String(explained)
  }
}
