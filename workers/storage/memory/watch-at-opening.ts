import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Workspace } from '../workspace.ts'
import type { Workspaces } from '../workspaces.ts'

/** After the first requests and the first picture of a page. */
const FIRST_LOOK_MS = 2_000

/**
 * Where we changed MEMORY.md in an earlier run, an editor may have saved an older text since, or do so later: it is looked at once, and
 * watched. Elsewhere nothing is loaded for it.
 */
export function watchMemoryFileSoon(workspaces: Workspaces, workspace: Workspace): void {
  let closed = false
  const look = async (): Promise<void> => {
    if (
      workspace.readOnly ||
      lstatSync(join(workspace.layout.internals, 'memory', 'journal.jsonl'), { throwIfNoEntry: false }) === undefined
    )
      return
    const { memoryFileOf } = await import('./memory-files.ts')
    if (closed) return
    const file = memoryFileOf(workspaces, workspace)
    file.watch()
    await file.mergeExternal()
  }
  const timer = setTimeout(() => {
    look().catch((error: unknown) => workspaces.log(`MEMORY.md at opening: ${String(error)}`))
  }, FIRST_LOOK_MS)
  timer.unref()
  workspace.onDispose(async () => {
    closed = true
    clearTimeout(timer)
  })
}
