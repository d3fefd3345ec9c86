/**
 * Reads text files of the workspace, which is untrusted: through one opened handle whose real place is checked
 * after opening (checking the path first would race), regular files only, bounded.
 */
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'

/** More than this is never read; every limit of a partition is far below. */
const MOST_BYTES = 256 * 1024

export type FileReading =
  | {
      readonly kind: 'text'
      readonly text: string
      readonly truncated: boolean
      readonly stamp: string
      /** When the system last saw its content or its name change, milliseconds since the epoch; no program can set it. */
      readonly changedAt: number
    }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly reason: 'outside the workspace' | 'not a regular file' | 'not readable' }

/** @returns text with its byte order mark removed; UTF-8, else UTF-16 by its mark, else GB18030. */
export async function readWorkspaceFile(workspace: string, name: string): Promise<FileReading> {
  let handle: FileHandle | undefined
  try {
    // O_NONBLOCK: a named pipe must not hang the thread.
    handle = await open(join(workspace, name), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const info = await handle.stat()
    if (!info.isFile()) return { kind: 'refused', reason: 'not a regular file' }
    if (!(await isInside(handle, workspace, name))) return { kind: 'refused', reason: 'outside the workspace' }
    const buffer = Buffer.alloc(Math.min(info.size, MOST_BYTES))
    let filled = 0
    while (filled < buffer.length) {
      const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return {
      kind: 'text',
      text: decode(buffer.subarray(0, filled)),
      truncated: info.size > MOST_BYTES,
      stamp: `${info.mtimeMs}:${info.size}:${info.ino}`,
      changedAt: info.ctimeMs,
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' }
    return { kind: 'refused', reason: code === 'EISDIR' ? 'not a regular file' : 'not readable' }
  } finally {
    await handle?.close()
  }
}

/** What `readWorkspaceFile` would make of a file with these bytes. */
export function textOfBytes(bytes: Buffer): string {
  return decode(bytes.subarray(0, MOST_BYTES))
}

/** SHA-256 (hex) of a text, whatever its line ends: git exchanges them on its way to another machine. */
export function hashOfText(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex')
}

/** A cheap answer to "may it have changed?"; undefined when the file is not there. */
export async function stampOf(workspace: string, name: string): Promise<string | undefined> {
  try {
    const info = await stat(join(workspace, name))
    return `${info.mtimeMs}:${info.size}:${info.ino}`
  } catch {
    // Absent or unreadable: reading it will tell which.
    return undefined
  }
}

/** Where the handle really is. Linux answers for the handle itself; elsewhere path and handle are compared. */
async function isInside(handle: FileHandle, workspace: string, name: string): Promise<boolean> {
  const root = await realpath(workspace)
  if (process.platform === 'linux') return contains(root, await readlink(`/proc/self/fd/${handle.fd}`))
  const real = await realpath(join(workspace, name))
  if (!contains(root, real)) return false
  const [ofHandle, ofPath] = await Promise.all([handle.stat({ bigint: true }), stat(real, { bigint: true })])
  return ofHandle.dev === ofPath.dev && ofHandle.ino === ofPath.ino
}

function contains(root: string, path: string): boolean {
  const way = relative(root, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

function decode(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(trimPartial(bytes))
  } catch {
    // Not UTF-8: what is left in practice is a file saved by an editor with the Chinese system encoding.
    return new TextDecoder('gb18030').decode(bytes)
  }
}

/** Drops up to three bytes of a character that the reading limit cut in two. */
function trimPartial(bytes: Buffer): Buffer {
  if (bytes.length < MOST_BYTES) return bytes
  let end = bytes.length
  while (end > bytes.length - 4 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end--
  return bytes.subarray(0, Math.max(0, ((bytes[end - 1] ?? 0) & 0x80) === 0 ? end : end - 1))
}
