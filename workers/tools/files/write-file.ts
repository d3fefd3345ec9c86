/** Replaces or makes a file as a whole, inside the folder that was verified. */
import { constants } from 'node:fs'
import { mkdir, open, readlink, rename, rm, type FileHandle } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { ToolError } from '../domain/tool-error.ts'
import { below } from './walk-linux.ts'
import { explainPathError } from './open-path.ts'
import type { OpenedPath } from './opened-path.ts'

const IS_LINUX = process.platform === 'linux'
const O_PATH = 0o10000000

export interface WriteOptions {
  /** Real path of the folder that must not be left. */
  readonly root: string
  /** As in the arguments, for messages. */
  readonly requested: string
  readonly bytes: Uint8Array
}

/**
 * Temporary file in the same folder, fsync, rename: a reader sees the old file whole or the new one
 * whole, and a full disk leaves the old one. Missing folders are made. An existing file keeps its mode.
 * @returns the folders that were made, outermost first, as names below the workspace.
 */
export async function writeWholeFile(path: OpenedPath, options: WriteOptions): Promise<void> {
  const held: FileHandle[] = []
  try {
    let folder = path.parentAccessPath
    const names = [...path.namesBelowParent]
    const name = names.pop()
    if (name === undefined) throw new ToolError('NOT_A_FILE', `${options.requested} is a folder, not a file.`)
    for (const missing of names) {
      const child = join(folder, missing)
      await mkdir(child).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
      })
      if (!IS_LINUX) {
        folder = child
        continue
      }
      const handle = await open(child, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW)
      held.push(handle)
      folder = `/proc/self/fd/${handle.fd}`
    }
    await requireStillInside(folder, options)
    await replaceIn(folder, name, options.bytes, path.stats?.mode)
  } catch (error) {
    throw explainPathError(error, options.requested)
  } finally {
    await Promise.all(held.map((handle) => handle.close()))
  }
}

/** A folder that is held may have been moved away meanwhile. */
async function requireStillInside(folder: string, options: WriteOptions): Promise<void> {
  if (!IS_LINUX || options.root === '/') return
  if (below(options.root, await readlink(folder)) === undefined)
    throw new ToolError('PATH_CHANGED', `The folder of ${options.requested} was moved out of the workspace meanwhile. Nothing was written.`)
}

async function replaceIn(folder: string, name: string, bytes: Uint8Array, mode: number | undefined): Promise<void> {
  const draft = join(folder, `.${name.slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`)
  const handle = await open(
    draft,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0),
    mode === undefined ? 0o666 : mode & 0o777,
  )
  try {
    try {
      // Loops over short writes, which a disk that fills up makes without an error.
      await handle.writeFile(bytes)
      // The umask was applied at creation; the file's own bits are put back.
      if (mode !== undefined) await handle.chmod(mode & 0o7777)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await renamePatiently(draft, join(folder, name))
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** On Windows a scanner or an editor may hold the target for a moment. */
async function renamePatiently(from: string, to: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await rename(from, to)
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code
      if (process.platform !== 'win32' || attempt >= 8 || (code !== 'EPERM' && code !== 'EBUSY' && code !== 'EACCES')) throw error
      await new Promise((resolve) => setTimeout(resolve, 25 * 2 ** attempt))
    }
  }
}
