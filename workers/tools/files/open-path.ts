/** The one way from a path in a tool's arguments to something on disk. */
import { constants } from 'node:fs'
import { open, realpath, type FileHandle } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { refusePathForm } from '../domain/path-forms.ts'
import { isStandInTime } from '#contracts/tools/stand-in-stamp.ts'
import { ToolError } from '../domain/tool-error.ts'
import { visibleText } from '#workers/shared/visible-text.ts'
import { LeftRoot, type OpenedPath } from './opened-path.ts'
import { below, walkLinux, type WalkResult } from './walk-linux.ts'
import { belowPortable, verifyHandle, walkPortable } from './walk-portable.ts'

const IS_LINUX = process.platform === 'linux'
const FOLDS_CASE = process.platform === 'win32' || process.platform === 'darwin'
/** Kernel and device trees: reading there shows secrets, waits forever or never ends. */
const KERNEL_TREES = ['/proc', '/sys', '/dev']

/**
 * Follows `requested` from the workspace. Whoever gets the result closes it.
 * @throws ToolError BAD_PATH, NO_PERMISSION, NOT_A_FOLDER … A path that leads outside is no error here: `inside` says so.
 */
export async function openPath(workspace: string, requested: string): Promise<OpenedPath> {
  const refused = refusePathForm(requested, process.platform === 'win32' ? 'win32' : 'posix')
  if (refused !== undefined)
    throw new ToolError('BAD_PATH', `The path ${visibleText(JSON.stringify(requested.slice(0, 300)), false)} cannot be used: ${refused}.`)
  try {
    const root = await realpath(workspace)
    return IS_LINUX ? await openLinux(workspace, root, requested) : await openPortable(root, requested)
  } catch (error) {
    throw explainPathError(error, requested)
  }
}

/** Opens what was followed for reading. @throws ToolError NOT_A_FILE, SPECIAL_FILE, NOT_FOUND, NO_PERMISSION, PATH_CHANGED. */
export async function openForReading(path: OpenedPath, requested: string): Promise<FileHandle> {
  requireFile(path, requested)
  try {
    // Non-blocking and without a controlling terminal: whatever it turned out to be, opening it does not wait.
    const handle = await open(path.accessPath, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0))
    const stats = await handle.stat()
    const same = stats.isFile() && (IS_LINUX || (await verifyHandle(handle, path.realPath)))
    if (same) return handle
    await handle.close()
    throw new ToolError('PATH_CHANGED', `${requested} was exchanged while it was being opened. Try again.`)
  } catch (error) {
    throw explainPathError(error, requested)
  }
}

/** What stands in for an absent name while a command runs is as good as absent. */
export function isStandIn(path: OpenedPath): boolean {
  return path.kind === 'folder' && path.stats !== undefined && isStandInTime(path.stats.mtimeMs)
}

export function requireFile(path: OpenedPath, requested: string): void {
  if (path.kind === 'missing' || isStandIn(path))
    throw new ToolError('NOT_FOUND', `There is no file ${requested}. Look with list_directory or find_files for the right name.`)
  if (path.kind === 'folder')
    throw new ToolError('NOT_A_FILE', `${requested} is a folder, not a file. Use list_directory to see what is in it.`)
  if (path.kind === 'special')
    throw new ToolError('SPECIAL_FILE', `${requested} is not a regular file (a pipe, socket or device), so it cannot be read or written.`)
}

/** Inside the kernel's or the devices' trees, by real path. */
export function isKernelPath(realPath: string): boolean {
  return !FOLDS_CASE && KERNEL_TREES.some((tree) => realPath === tree || realPath.startsWith(`${tree}/`))
}

/** System errors in words for the model; everything else as it is. */
export function explainPathError(error: unknown, requested: string): unknown {
  if (error instanceof ToolError || !(error instanceof Error)) return error
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return new ToolError(
        'NOT_FOUND',
        `There is no ${requested}, or it was removed meanwhile. Look with list_directory for the right name.`,
      )
    case 'EACCES':
    case 'EPERM':
      return new ToolError(
        'NO_PERMISSION',
        `The system does not permit access to ${requested}. Use another file, or ask the user to change its permissions.`,
      )
    case 'ENOTDIR':
      return new ToolError('NOT_A_FOLDER', `A part of ${requested} is a file, not a folder.`)
    case 'EISDIR':
      return new ToolError('NOT_A_FILE', `${requested} is a folder, not a file.`)
    case 'ENAMETOOLONG':
      return new ToolError('BAD_PATH', `A name in ${requested.slice(0, 300)} is too long for the file system.`)
    case 'ELOOP':
      return new ToolError('LINK_LOOP', `The links in ${requested} lead in a circle, or were exchanged while they were followed.`)
    case 'ENOSPC':
    case 'EDQUOT':
      return new ToolError('DISK_FULL', `The disk is full: ${requested} was not written and is as it was before.`)
    case 'EROFS':
      return new ToolError('READ_ONLY', `The file system of ${requested} is read-only.`)
    case 'EIO':
      return new ToolError('READ_FAILED', `The disk or network drive failed while ${requested} was used (EIO). It may have been unmounted.`)
    case 'ESTALE':
      return new ToolError('READ_FAILED', `${requested} went away on the network drive while it was used.`)
    default:
      return error
  }
}

async function openLinux(workspace: string, root: string, requested: string): Promise<OpenedPath> {
  const names = isAbsolute(requested) ? (below(root, requested) ?? below(workspace, requested)) : requested.split('/')
  if (names !== undefined) {
    try {
      return insidePath(await walkLinux(root, names), root)
    } catch (error) {
      if (!(error instanceof LeftRoot)) throw error
      return await openAnywhere(root, error.target)
    }
  }
  return await openAnywhere(root, requested)
}

/** From the file system's root; what turns out to be inside after all is followed once more, bound to the workspace. */
async function openAnywhere(root: string, absolute: string): Promise<OpenedPath> {
  const walk = await walkLinux('/', absolute.split('/'))
  const names = below(root, walk.realPath)
  if (names === undefined) return { ...walk, inside: false, segments: [] }
  await walk.close()
  return insidePath(await walkLinux(root, names), root)
}

function insidePath(walk: WalkResult, root: string): OpenedPath {
  return { ...walk, inside: true, segments: below(root, walk.realPath) ?? [] }
}

async function openPortable(root: string, requested: string): Promise<OpenedPath> {
  const walk = await walkPortable(isAbsolute(requested) ? requested : join(root, requested))
  const segments = belowPortable(root, walk.realPath, FOLDS_CASE)
  return { ...walk, inside: segments !== undefined, segments: segments ?? [] }
}
