/** Reading and writing one JSONL file with nothing taken on trust: short writes, torn tails, links. */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { AppError } from '#contracts/wire/app-error.ts'

/** A line longer than this is damage, not data. */
const LONGEST_LINE = 128 * 1024 * 1024
const CHUNK = 256 * 1024
const NEWLINE = 0x0a

/**
 * Opens a log without following a link at its end. `UNSAFE_FILE`: not a regular file, or one with a second name.
 * Mode `append` creates it.
 */
export function openLogFile(path: string, mode: 'append' | 'read'): number {
  const noFollow = constants.O_NOFOLLOW ?? 0
  const nonBlock = constants.O_NONBLOCK ?? 0
  const flags = mode === 'append' ? constants.O_RDWR | constants.O_CREAT | constants.O_APPEND : constants.O_RDONLY
  let fd: number
  try {
    fd = openSync(path, flags | noFollow | nonBlock, 0o600)
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ELOOP' || error.code === 'ENXIO' || error.code === 'EMLINK'))
      throw unsafeFile(path)
    throw error
  }
  const stat = fstatSync(fd)
  if (stat.isFile() && stat.nlink <= 1) return fd
  closeSync(fd)
  throw unsafeFile(path)
}

function unsafeFile(path: string): AppError {
  return new AppError({ code: 'UNSAFE_FILE', message: `${path} is a link or not a regular file`, params: { path } })
}

/**
 * Appends the whole text or nothing: a full disk may take part of a write without an error, so the count is checked
 * and the file is cut back before the error is thrown on.
 * @returns the file's new size in bytes.
 */
export function appendText(fd: number, text: string): number {
  const start = fstatSync(fd).size
  const bytes = Buffer.from(text, 'utf8')
  let written = 0
  try {
    while (written < bytes.length) {
      const count = writeSync(fd, bytes, written, bytes.length - written)
      if (count === 0) throw Object.assign(new Error('the disk took no bytes'), { code: 'ENOSPC' })
      written += count
    }
  } catch (error) {
    if (written > 0) ftruncateSync(fd, start)
    throw error
  }
  return start + written
}

/** A line without its newline, and where the next one starts. `complete` is false for a last line without newline. */
export interface LogLine {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly complete: boolean
}

/** Lines from `offset` on. A line beyond the limit comes with empty text. */
export function* readLines(fd: number, offset = 0): Generator<LogLine> {
  // Most logs are small, and there may be thousands.
  const chunk = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK, fstatSync(fd).size - offset + 1)))
  let parts: Buffer[] = []
  let held = 0
  let start = offset
  let position = offset
  const take = (): string => {
    const text = held > LONGEST_LINE ? '' : Buffer.concat(parts).toString('utf8')
    parts = []
    held = 0
    return text
  }
  const hold = (part: Buffer): void => {
    held += part.length
    if (held <= LONGEST_LINE) parts.push(Buffer.from(part))
    else parts = []
  }
  for (;;) {
    const count = readSync(fd, chunk, 0, chunk.length, position)
    if (count === 0) break
    let from = 0
    for (let at = chunk.subarray(0, count).indexOf(NEWLINE); at >= 0; at = chunk.subarray(0, count).indexOf(NEWLINE, from)) {
      hold(chunk.subarray(from, at))
      from = at + 1
      const end = position + from
      yield { text: take(), start, end, complete: true }
      start = end
    }
    if (from < count) hold(chunk.subarray(from, count))
    position += count
  }
  if (held > 0) yield { text: take(), start, end: position, complete: false }
}

/** The last complete line `isGood` accepts, searched from the end. `size` shows what stands behind it. */
export function findLastLine(fd: number, isGood: (text: string) => boolean): { line: LogLine | undefined; size: number } {
  const size = fstatSync(fd).size
  for (let span = 64 * 1024; ; span *= 8) {
    const from = Math.max(0, size - span)
    let last: LogLine | undefined
    let first = from > 0
    for (const line of readLines(fd, from)) {
      // A window that begins inside the file begins inside a line.
      if (first) {
        first = false
        continue
      }
      if (line.complete && isGood(line.text)) last = line
    }
    if (last !== undefined || from === 0) return { line: last, size }
  }
}
