/** Reads a file that somebody else may exchange at any moment: what is opened is what is looked at and read. */
import { constants } from 'node:fs'
import { open, readlink, type FileHandle } from 'node:fs/promises'

/** Without it a pipe would keep whoever opens it until somebody writes. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * @param mostBytes a longer one is not read.
 * @param place where it must lie, free of links; Linux only. Without it links are followed.
 * @returns undefined where there is no regular file, or none that may be read.
 */
export async function readRegularFile(path: string, mostBytes: number, place?: string): Promise<Buffer | undefined> {
  let handle: FileHandle
  try {
    handle = await open(path, place === undefined ? FLAGS : FLAGS | constants.O_NOFOLLOW)
  } catch {
    return undefined
  }
  try {
    const state = await handle.stat()
    if (!state.isFile() || state.size > mostBytes) return undefined
    if (place !== undefined && (await readlink(`/proc/self/fd/${handle.fd}`)) !== place) return undefined
    return await readSome(handle, state.size)
  } catch {
    // As one that cannot be opened.
    return undefined
  } finally {
    await handle.close()
  }
}

/** Never more than it had when it was looked at, however fast it grows. */
async function readSome(handle: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size)
  let filled = 0
  while (filled < size) {
    const { bytesRead } = await handle.read(bytes, filled, size - filled, filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}
