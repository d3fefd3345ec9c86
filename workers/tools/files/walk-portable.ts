/**
 * Where handles cannot be walked (macOS, Windows): the real path of the nearest existing ancestor is
 * taken and compared. The caller checks again after opening (`verifyHandle`); between the two a link
 * may be exchanged, so this is weaker than the Linux walk and says so in the documentation.
 */
import { lstat, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { FileHandle } from 'node:fs/promises'
import { ToolError } from '../domain/tool-error.ts'
import type { WalkResult } from './walk-linux.ts'

export async function walkPortable(absolute: string): Promise<WalkResult> {
  const missing: string[] = []
  let existing = resolve(absolute)
  for (;;) {
    try {
      const real = await realpath(existing)
      const stats = await stat(real)
      if (missing.length > 0) {
        if (!stats.isDirectory()) throw new ToolError('NOT_A_FOLDER', `${real} is a file, not a folder, so nothing can be below it.`)
        return {
          realPath: join(real, ...missing),
          kind: 'missing',
          stats: undefined,
          accessPath: join(real, ...missing),
          parentAccessPath: real,
          namesBelowParent: missing,
          close,
        }
      }
      return {
        realPath: real,
        kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'special',
        stats,
        accessPath: real,
        parentAccessPath: dirname(real),
        namesBelowParent: [basename(real)],
        close,
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      // A link that leads nowhere exists: writing through it would make its target.
      const link = await lstat(existing).catch(() => undefined)
      if (link?.isSymbolicLink() === true)
        throw new ToolError('DANGLING_LINK', `${existing} is a link to something that does not exist. Write the target's own path.`)
      const parent = dirname(existing)
      if (parent === existing) throw error
      missing.unshift(basename(existing))
      existing = parent
    }
  }
}

/** After opening: the handle is the object the real path names now, and that path is still the checked one. */
export async function verifyHandle(handle: FileHandle, realPath: string): Promise<boolean> {
  const [own, now, named] = await Promise.all([handle.stat(), realpath(realPath), stat(realPath)])
  return now === realPath && own.ino === named.ino && own.dev === named.dev
}

/** The names of `path` below `root` on this system, or nothing. */
export function belowPortable(root: string, path: string, foldCase: boolean): string[] | undefined {
  const fold = (name: string): string => (foldCase ? name.toLowerCase().normalize('NFC') : name)
  const rootNames = root.split(sep).filter((name) => name !== '')
  const pathNames = path.split(sep).filter((name) => name !== '')
  return rootNames.every((name, index) => fold(pathNames[index] ?? '') === fold(name)) ? pathNames.slice(rootNames.length) : undefined
}

async function close(): Promise<void> {}
