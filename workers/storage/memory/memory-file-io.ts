/** Reading MEMORY.md, and putting a new text in the place of exactly the one that was read. */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, isAbsolute, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCodeOf } from '../database-errors.ts'

export interface MemoryFileReading {
  readonly state: 'absent' | 'ready' | 'read_only' | 'unsafe'
  /** Empty unless it could be read. */
  readonly text: string
  readonly bytes: Buffer
  /** The file itself, where the name is a link. */
  readonly path: string
  readonly mode: number
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number | undefined
}

const MOST_BYTES = 4 * 1024 * 1024
const WITHOUT_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL', 'UNKNOWN', 'EISDIR'])
const RENAME_TRIES = 10
const RENAME_PAUSE_MS = 50

/** The file itself, where the name is a link: one inside the folder. */
export function realMemoryFile(root: string, name: string): { readonly path: string } | 'absent' | 'unsafe' {
  let path: string
  try {
    path = realpathSync(join(root, name))
  } catch (error) {
    if (errorCodeOf(error) !== 'ENOENT') return 'unsafe'
    return lstatSync(join(root, name), { throwIfNoEntry: false }) === undefined ? 'absent' : 'unsafe'
  }
  const way = relative(realpathSync(root), path)
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way) ? 'unsafe' : { path }
}

/** A link is followed inside the folder only. */
export function readMemoryFile(root: string, name: string): MemoryFileReading {
  const nothing = { text: '', bytes: Buffer.alloc(0), path: join(root, name), mode: 0o644, modifiedAt: undefined }
  const real = realMemoryFile(root, name)
  if (typeof real === 'string') return { ...nothing, state: real }
  const { path } = real
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    // Renamed away between the two looks: it is as if it had not been there yet.
    return { ...nothing, state: errorCodeOf(error) === 'ENOENT' ? 'absent' : 'unsafe' }
  }
  try {
    const stat = fstatSync(fd)
    if (!stat.isFile() || stat.size > MOST_BYTES) return { ...nothing, state: 'unsafe' }
    const bytes = readFileSync(fd)
    const found = { bytes, path, mode: stat.mode & 0o777, modifiedAt: stat.mtimeMs }
    try {
      return { ...found, state: 'ready', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
    } catch {
      // Another encoding: it cannot be written back as it was.
      return { ...found, state: 'read_only', text: '' }
    }
  } finally {
    closeSync(fd)
  }
}

/**
 * The file holds `text` when this is true; false when it was not what `before` says any more, and then it is untouched. At every moment
 * the name stands for the old text or the new one, both whole.
 * @param folder for the temporary file, on the same disk.
 */
export async function putInPlace(
  before: MemoryFileReading,
  text: string,
  folder: string,
  temporaryName: string,
  compare: boolean,
): Promise<boolean> {
  const temporary = join(folder, temporaryName)
  try {
    const fd = openSync(temporary, 'wx', before.mode)
    try {
      // The mask of this process is not that of who made the file; where a disk has one mode for all there is nothing to change.
      if (before.state !== 'absent' && (fstatSync(fd).mode & 0o777) !== before.mode) fchmodSync(fd, before.mode)
      writeFileSync(fd, text)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    for (let attempt = 1; ; attempt++) {
      // Between these two lines nothing else of this thread runs, and another program has microseconds.
      if (compare && !isStill(before)) return false
      try {
        if (before.state === 'absent') placeNew(temporary, before.path, text)
        else renameSync(temporary, before.path)
        break
      } catch (error) {
        if (before.state === 'absent' && errorCodeOf(error) === 'EEXIST') return false
        // Windows refuses while a scanner or an editor holds the file open.
        if (!['EPERM', 'EBUSY', 'EACCES'].includes(errorCodeOf(error)) || attempt >= RENAME_TRIES) throw error
        await sleep(RENAME_PAUSE_MS)
      }
    }
    syncFolder(dirname(before.path))
    return true
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** Never over a file that has come meanwhile (EEXIST). */
function placeNew(temporary: string, path: string, text: string): void {
  try {
    linkSync(temporary, path)
  } catch (error) {
    if (!WITHOUT_LINKS.has(errorCodeOf(error))) throw error
    createNew(path, text)
  }
}

/** For disks that know no links, such as exFAT and many a network share: there a reader may see the new file half way. */
export function createNew(path: string, text: string): void {
  const fd = openSync(path, 'wx', 0o644)
  try {
    writeFileSync(fd, text)
    fsyncSync(fd)
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(fd)
  }
}

function isStill(before: MemoryFileReading): boolean {
  if (before.state === 'absent') return lstatSync(before.path, { throwIfNoEntry: false }) === undefined
  try {
    return readFileSync(before.path).equals(before.bytes)
  } catch (error) {
    if (errorCodeOf(error) !== 'ENOENT') throw error
    return false
  }
}

function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
