/**
 * Follows a path name by name with handles: each name is opened relative to the handle of its folder
 * and never through a link, links are followed here, in our own code. Nothing outside the root is
 * ever opened, whatever is exchanged meanwhile. Linux only: `/proc/self/fd/N/name` stands for openat.
 */
import { constants, type Stats } from 'node:fs'
import { open, readlink, type FileHandle } from 'node:fs/promises'
import { ToolError } from '../domain/tool-error.ts'
import { LeftRoot, type PathKind } from './opened-path.ts'

/** Not in Node's table: a handle that names an object without opening it (no device is touched, no FIFO waits). */
const O_PATH = 0o10000000
const LINK_LIMIT = 40

export interface WalkResult {
  readonly realPath: string
  readonly kind: PathKind
  readonly stats: Stats | undefined
  readonly accessPath: string
  readonly parentAccessPath: string
  readonly namesBelowParent: readonly string[]
  close(): Promise<void>
}

interface Held {
  readonly handle: FileHandle
  readonly name: string
}

/**
 * @param root absolute real path of the folder the walk may not leave; `/` for none.
 * @throws LeftRoot; ToolError NOT_A_FOLDER, LINK_LOOP; system errors as they are (EACCES …).
 */
export async function walkLinux(root: string, names: readonly string[]): Promise<WalkResult> {
  const folders: Held[] = [{ handle: await open(root, O_PATH | constants.O_DIRECTORY), name: root }]
  const here = (): string => folders.map((held, index) => (index === 0 ? held.name.replace(/\/$/, '') : held.name)).join('/') || '/'
  const closeAll = async (): Promise<void> => {
    await Promise.all(folders.splice(0).map((held) => held.handle.close()))
  }
  try {
    const queue = [...names]
    let links = 0
    while (queue.length > 0) {
      const name = queue.shift() as string
      if (name === '' || name === '.') continue
      if (name === '..') {
        if (folders.length === 1) {
          if (root === '/') continue
          throw new LeftRoot([here(), '..', ...queue].join('/'))
        }
        await folders.pop()?.handle.close()
        continue
      }
      const folder = folders.at(-1) as Held
      const child = `/proc/self/fd/${folder.handle.fd}/${name}`
      const handle = await openOrMissing(child)
      if (handle === undefined) {
        const below = [name, ...queue.filter((entry) => entry !== '' && entry !== '.')]
        if (below.includes('..')) throw new ToolError('NOT_FOUND', `${here()}/${name} does not exist, so ".." after it leads nowhere.`)
        return {
          realPath: joinPath(here(), below),
          kind: 'missing',
          stats: undefined,
          accessPath: child,
          parentAccessPath: `/proc/self/fd/${folder.handle.fd}`,
          namesBelowParent: below,
          close: closeAll,
        }
      }
      const stats = await handle.stat().catch(async (error: unknown) => {
        await handle.close()
        throw error
      })
      if (stats.isSymbolicLink()) {
        await handle.close()
        if (++links > LINK_LIMIT)
          throw new ToolError('LINK_LOOP', `Following the links of this path does not end (more than ${LINK_LIMIT}).`)
        const target = await readlink(child)
        if (target.startsWith('/')) {
          const inner = below(root, target)
          if (inner === undefined) throw new LeftRoot([target, ...queue].join('/'))
          await Promise.all(folders.splice(1).map((held) => held.handle.close()))
          queue.unshift(...inner)
        } else queue.unshift(...target.split('/'))
        continue
      }
      if (stats.isDirectory()) {
        folders.push({ handle, name })
        continue
      }
      if (queue.some((entry) => entry !== '')) {
        await handle.close()
        throw new ToolError('NOT_A_FOLDER', `${here()}/${name} is a file, not a folder, so nothing can be below it.`)
      }
      folders.push({ handle, name })
      return {
        realPath: here(),
        kind: stats.isFile() ? 'file' : 'special',
        stats,
        accessPath: `/proc/self/fd/${handle.fd}`,
        parentAccessPath: `/proc/self/fd/${folder.handle.fd}`,
        namesBelowParent: [name],
        close: closeAll,
      }
    }
    const last = folders.at(-1) as Held
    const parent = folders.at(-2) ?? last
    return {
      realPath: here(),
      kind: 'folder',
      stats: await last.handle.stat(),
      accessPath: `/proc/self/fd/${last.handle.fd}`,
      parentAccessPath: `/proc/self/fd/${parent.handle.fd}`,
      namesBelowParent: folders.length > 1 ? [last.name] : [],
      close: closeAll,
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}

/** The names of `path` below `root`, or nothing when it is elsewhere. Compared name by name, never by prefix of text. */
export function below(root: string, path: string): string[] | undefined {
  const rootNames = root.split('/').filter((name) => name !== '')
  const pathNames = path.split('/').filter((name) => name !== '')
  return rootNames.every((name, index) => pathNames[index] === name) ? pathNames.slice(rootNames.length) : undefined
}

async function openOrMissing(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, O_PATH | constants.O_NOFOLLOW)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function joinPath(folder: string, names: readonly string[]): string {
  return `${folder === '/' ? '' : folder}/${names.join('/')}`
}
