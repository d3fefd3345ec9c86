import { createHash, randomBytes } from 'node:crypto'
import { closeSync, constants, fstatSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '#contracts/wire/app-error.ts'
import { WORKSPACE_FILE_LIMIT, type WorkspaceFile, type WorkspaceFileName } from '#contracts/workspace/workspace-file.ts'
import { errorCodeOf } from '../database-errors.ts'

/** Reads one of the four files. @throws AppError NOT_EDITABLE for a link, a folder, something too large or no text. */
export function readWorkspaceFile(root: string, name: WorkspaceFileName): WorkspaceFile {
  const found = readRegular(join(root, name), name)
  if (found === undefined) return { content: '', hash: null }
  try {
    // A mark at the start is kept out of sight and put back when the file is written.
    return { content: new TextDecoder('utf-8', { fatal: true }).decode(found), hash: hashOf(found) }
  } catch {
    throw notEditable(name, 'it is not UTF-8 text')
  }
}

/**
 * Puts `content` in the place of the file in one step, with the mode it had.
 * @throws AppError FILE_CHANGED, with the file as it is now, when it is no longer what was read before.
 */
export function writeWorkspaceFile(root: string, name: WorkspaceFileName, content: string, basedOn: string | null): WorkspaceFile {
  const file = join(root, name)
  const before = readRegular(file, name)
  if ((before === undefined ? null : hashOf(before)) !== basedOn) throw changed(root, name)
  const marked = before?.subarray(0, 3).equals(BOM) === true
  const bytes = Buffer.concat([...(marked ? [BOM] : []), Buffer.from(content)])
  const temporary = join(root, `.${name}.${randomBytes(6).toString('hex')}.tmp`)
  const mode = before === undefined ? 0o644 : modeOf(file)
  try {
    writeWhole(temporary, bytes, mode)
    // Looked at once more, now that nothing but the rename is left to do.
    const now = readRegular(file, name)
    if ((now === undefined ? null : hashOf(now)) !== basedOn) throw changed(root, name)
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  return { content, hash: hashOf(bytes) }
}

/** All of it or an error: a single write may take only a part where the disk is nearly full. */
function writeWhole(file: string, bytes: Buffer, mode: number): void {
  const handle = openSync(file, 'wx', mode)
  try {
    writeFileSync(handle, bytes)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

const BOM = Buffer.from([0xef, 0xbb, 0xbf])

/** Undefined where there is nothing. Links are not followed: what they point at is not of this folder. */
function readRegular(file: string, name: string): Buffer | undefined {
  let handle: number
  try {
    handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined
    if (errorCodeOf(error) === 'ELOOP') throw notEditable(name, 'it is a link')
    throw error
  }
  try {
    const stat = fstatSync(handle)
    if (!stat.isFile()) throw notEditable(name, 'it is no file')
    if (stat.size > WORKSPACE_FILE_LIMIT) throw notEditable(name, 'it is larger than 1 MiB')
    return readFileSync(handle)
  } finally {
    closeSync(handle)
  }
}

function modeOf(file: string): number {
  const handle = openSync(file, constants.O_RDONLY)
  try {
    return fstatSync(handle).mode & 0o777
  } finally {
    closeSync(handle)
  }
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

function changed(root: string, name: WorkspaceFileName): AppError {
  return new AppError({
    code: 'FILE_CHANGED',
    message: `${name} was changed by something else since it was read; nothing was written`,
    params: { file: name },
    details: readWorkspaceFile(root, name),
  })
}

function notEditable(name: string, reason: string): AppError {
  return new AppError({ code: 'NOT_EDITABLE', message: `${name} cannot be edited here: ${reason}`, params: { file: name, reason } })
}
