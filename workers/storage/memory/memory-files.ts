/** The one store of each open workspace's MEMORY.md, told of the person's agreement, secrets and notices. */
import { relative } from 'node:path'
import { LONGEST_MEMORY_LINE } from '#contracts/metona/memory-file.ts'
import type { Workspace } from '../workspace.ts'
import type { Workspaces } from '../workspaces.ts'
import { checkMemoryText } from './check-memory-text.ts'
import { MemoryFileStore } from './memory-file-store.ts'

const stores = new WeakMap<Workspace, MemoryFileStore>()

export function memoryFileOf(workspaces: Workspaces, workspace: Workspace): MemoryFileStore {
  const present = stores.get(workspace)
  if (present !== undefined) return present
  const { layout, banners } = workspace
  const store = new MemoryFileStore({
    layout,
    profile: workspaces.profile.folder,
    now: workspaces.now,
    log: workspaces.log,
    check: (text) => checkMemoryText(text, LONGEST_MEMORY_LINE, workspaces.redactor),
    onWritten: (before, after) => workspaces.agreed.wrote(layout.root, 'MEMORY.md', before, after),
    onMerged: (count) =>
      banners.set('info', 'MEMORY_MERGED', `Another program saved an older MEMORY.md; ${count} changes it did not have were put back`, {
        count,
      }),
    onLeftOut: (count, kept) => {
      if (count === 0) return banners.clear('MEMORY_LEFT_OUT')
      const file = relative(layout.root, kept)
      banners.set(
        'info',
        'MEMORY_LEFT_OUT',
        `Another program saved a MEMORY.md without the last ${count} changes made here, and it stands as it is. The text with them is kept: copy ${file} over MEMORY.md to have them back.`,
        { count, file },
      )
    },
  })
  stores.set(workspace, store)
  workspace.onDispose(() => store.close())
  return store
}
