/** What a disk may hold after the power went: whatever was not synced is there, or not, or half. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { DiskOperation } from './strace-log.ts'

const SECTOR = 512

/**
 * The files after a cut just behind `operations[count - 1]`, with `random` deciding the fate of all that was not synced:
 * each write is kept, dropped, or cut at a sector. Names follow the order they were made in up to some moment after the
 * last sync of anything, as a journalling file system keeps them; so do changes of a file's size.
 */
export function imageAfterCut(operations: readonly DiskOperation[], count: number, random: () => number): Map<string, Buffer> {
  const lastSync = operations.slice(0, count).findLastIndex((operation) => operation.kind === 'sync')
  const namesUpTo = lastSync + 1 + Math.floor(random() * (count - lastSync))
  const contents = new Map<number, Buffer>()
  const names = new Map<string, number>()
  const syncedAt = new Map<number, number>()
  for (let at = 0; at < count; at++) {
    const operation = operations[at]
    if (operation?.kind === 'sync') syncedAt.set(operation.file, at)
  }
  for (let at = 0; at < count; at++) {
    const operation = operations[at]
    if (operation === undefined) break
    switch (operation.kind) {
      case 'open':
        if (operation.created && at < namesUpTo) names.set(operation.path, operation.file)
        if (operation.truncated && at < namesUpTo) contents.set(operation.file, Buffer.alloc(0))
        break
      case 'rename':
      case 'link': {
        if (at >= namesUpTo) break
        const file = names.get(operation.from)
        if (file === undefined) break
        if (operation.kind === 'rename') names.delete(operation.from)
        names.set(operation.to, file)
        break
      }
      case 'unlink':
        if (at < namesUpTo) names.delete(operation.path)
        break
      case 'truncate':
        if (at < namesUpTo || at < (syncedAt.get(operation.file) ?? -1))
          contents.set(operation.file, resized(contents.get(operation.file), operation.size))
        break
      case 'write': {
        const survives = at < (syncedAt.get(operation.file) ?? -1) ? operation.bytes : whatRemains(operation.bytes, random)
        if (survives.length > 0) contents.set(operation.file, written(contents.get(operation.file), operation.offset, survives))
        break
      }
      case 'sync':
      case 'mkdir':
      case 'say':
        break
    }
  }
  return new Map([...names].map(([path, file]) => [path, contents.get(file) ?? Buffer.alloc(0)]))
}

function whatRemains(bytes: Buffer, random: () => number): Buffer {
  const fate = random()
  if (fate < 1 / 3) return bytes
  if (fate < 2 / 3) return Buffer.alloc(0)
  return bytes.subarray(0, Math.floor((random() * bytes.length) / SECTOR) * SECTOR)
}

function written(content: Buffer | undefined, offset: number, bytes: Buffer): Buffer {
  const result = resized(content, Math.max(content?.length ?? 0, offset + bytes.length))
  bytes.copy(result, offset)
  return result
}

function resized(content: Buffer | undefined, size: number): Buffer {
  const result = Buffer.alloc(size)
  content?.copy(result, 0, 0, size)
  return result
}

/** Writes an image, moved from the folder it was made in to another. */
export function writeImage(image: ReadonlyMap<string, Buffer>, folders: readonly string[], from: string, to: string): void {
  for (const folder of folders) mkdirSync(folder.replace(from, to), { recursive: true })
  for (const [path, bytes] of image) {
    const target = path.replace(from, to)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, bytes)
  }
}
