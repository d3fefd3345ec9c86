/** Lines of a text file by number, without taking more of it into memory than is asked for. */
import type { FileHandle } from 'node:fs/promises'
import { detectEncoding, type TextEncodingName } from '../domain/detect-encoding.ts'
import { ToolError } from '../domain/tool-error.ts'
import { createDecoder } from './text-codec.ts'

export interface LineRange {
  /** First line, from 1. */
  readonly offset: number
  readonly limit: number
  /** UTF-16 code units of all lines together. */
  readonly characters: number
  readonly requested: string
  readonly signal: AbortSignal
}

export interface TextLines {
  readonly text: string
  readonly encoding: TextEncodingName
  readonly bom: boolean
  readonly crlf: boolean
  /** Lines in `text`. */
  readonly lines: number
  /** Of the file; absent when its end was not reached. */
  readonly totalLines?: number
  /** A line was longer than the bound and is cut. */
  readonly cutLines: number
  /** The bound on characters ended it before `limit` lines. */
  readonly full: boolean
  /** All bytes, when the file is small enough to have been read whole. */
  readonly bytes?: Buffer
}

const CHUNK = 256 * 1024
const SAMPLE = 64 * 1024
/** Files up to this size are read whole: their hash and their number of lines are then known. */
export const WHOLE_FILE_LIMIT = 8 * 1024 * 1024
/** A longer line is cut in the result. */
const LINE_LIMIT = 4000

/** @throws ToolError BINARY_FILE. System errors of reading as they are. */
export async function readTextLines(handle: FileHandle, size: number, range: LineRange): Promise<TextLines> {
  if (size > WHOLE_FILE_LIMIT) return readLong(handle, range)
  const bytes = await handle.readFile()
  const detected = requireText(bytes.subarray(0, SAMPLE), bytes.length <= SAMPLE, range.requested, bytes.length)
  const window = new LineWindow(range)
  const decoder = await createDecoder(detected.encoding)
  window.take(decoder.write(bytes.subarray(detected.bomLength)) + decoder.end())
  return { ...window.result(true), encoding: detected.encoding, bom: detected.bomLength > 0, bytes }
}

async function readLong(handle: FileHandle, range: LineRange): Promise<TextLines> {
  const chunk = Buffer.allocUnsafe(CHUNK)
  let position = 0
  const first = await handle.read(chunk, 0, CHUNK, 0)
  const detected = requireText(chunk.subarray(0, Math.min(first.bytesRead, SAMPLE)), false, range.requested, undefined)
  const decoder = await createDecoder(detected.encoding)
  const window = new LineWindow(range)
  let length = first.bytesRead
  while (length > 0) {
    range.signal.throwIfAborted()
    window.take(decoder.write(chunk.subarray(position === 0 ? detected.bomLength : 0, length)))
    if (window.pastRange) return { ...window.result(false), encoding: detected.encoding, bom: detected.bomLength > 0 }
    position += length
    length = (await handle.read(chunk, 0, CHUNK, position)).bytesRead
  }
  window.take(decoder.end())
  return { ...window.result(true), encoding: detected.encoding, bom: detected.bomLength > 0 }
}

function requireText(
  sample: Uint8Array,
  whole: boolean,
  requested: string,
  size: number | undefined,
): { encoding: TextEncodingName; bomLength: number } {
  const detected = detectEncoding(sample, whole)
  if (detected !== 'binary') return detected
  throw new ToolError(
    'BINARY_FILE',
    `${requested} is not text${size === undefined ? '' : ` (${size} bytes, ${guessKind(sample)})`}. Read a text file, or use run_command with a program that understands this format.`,
  )
}

function guessKind(sample: Uint8Array): string {
  const head = Buffer.from(sample.subarray(0, 16)).toString('latin1')
  const kinds: [string, string][] = [
    ['\u0089PNG', 'a PNG image'],
    ['\u00ff\u00d8\u00ff', 'a JPEG image'],
    ['GIF8', 'a GIF image'],
    ['%PDF', 'a PDF document'],
    ['PK\u0003\u0004', 'a ZIP archive or an Office document'],
    ['\u001f\u008b', 'gzip data'],
    ['SQLite format 3', 'an SQLite database'],
    ['\u007fELF', 'a program'],
    ['MZ', 'a Windows program'],
    ['\u00d0\u00cf\u0011\u00e0', 'an old Office document'],
  ]
  return kinds.find(([magic]) => head.startsWith(magic))?.[1] ?? 'unknown format'
}

/** Counts lines and keeps those of the range. */
class LineWindow {
  /** All of the range is there; what follows only adds to the number of lines. */
  pastRange = false
  private readonly range: LineRange
  private line = 1
  private kept: string[] = []
  private characters = 0
  private current = ''
  private currentLength = 0
  private cut = 0
  private full = false
  private sawReturn = 0
  private breaks = 0
  private lastEndedWithBreak = true

  constructor(range: LineRange) {
    this.range = range
  }

  take(text: string): void {
    let from = 0
    while (from < text.length) {
      const end = text.indexOf('\n', from)
      if (end < 0) {
        this.add(text.slice(from))
        this.lastEndedWithBreak = false
        return
      }
      this.add(text.slice(from, end))
      this.endLine()
      from = end + 1
    }
  }

  result(atEnd: boolean): Omit<TextLines, 'encoding' | 'bom'> {
    if (atEnd && !this.lastEndedWithBreak) this.endLine(true)
    const totalLines = this.line - 1
    const text = this.kept.join('\n')
    return {
      text,
      lines: this.kept.length,
      ...(atEnd ? { totalLines } : {}),
      cutLines: this.cut,
      full: this.full,
      crlf: this.breaks > 0 && this.sawReturn >= this.breaks,
    }
  }

  private add(piece: string): void {
    if (!this.wanted()) return
    this.currentLength += piece.length
    if (this.current.length <= LINE_LIMIT) this.current += piece.slice(0, LINE_LIMIT + 1)
  }

  private endLine(withoutBreak = false): void {
    if (this.wanted()) {
      let line = this.current
      if (line.endsWith('\r') && !withoutBreak) {
        this.sawReturn++
        line = line.slice(0, -1)
        this.currentLength--
      }
      if (!withoutBreak) this.breaks++
      if (this.currentLength > LINE_LIMIT) {
        this.cut++
        line = `${line.slice(0, LINE_LIMIT)} [… line cut, ${this.currentLength} characters in all]`
      }
      if (this.kept.length > 0 && this.characters + line.length > this.range.characters) this.full = true
      else {
        this.kept.push(line)
        this.characters += line.length + 1
      }
    }
    this.current = ''
    this.currentLength = 0
    this.line++
    this.lastEndedWithBreak = true
    if (this.full || this.line >= this.range.offset + this.range.limit) this.pastRange = true
  }

  private wanted(): boolean {
    return !this.pastRange && this.line >= this.range.offset
  }
}
