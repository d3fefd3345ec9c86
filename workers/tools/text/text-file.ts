/** A text file as a whole, with what must survive a change: encoding, byte order mark, line ends, mode. */
import type { FileHandle } from 'node:fs/promises'
import { detectEncoding, type TextEncodingName } from '../domain/detect-encoding.ts'
import { ToolError } from '../domain/tool-error.ts'
import { hashBytes, stampOf, type FileVersion } from '../files/file-guard.ts'
import { openForReading } from '../files/open-path.ts'
import type { OpenedPath } from '../files/opened-path.ts'
import { decodeAll, encodeAll } from './text-codec.ts'

export interface TextFile {
  readonly version: FileVersion & { readonly hash: string; readonly bytes: Uint8Array }
  /** Decoded, without the mark; line ends as in the file. Undefined for a binary file. */
  readonly text: string | undefined
  readonly encoding: TextEncodingName
  readonly bom: boolean
  /** Every line end is CRLF. */
  readonly crlf: boolean
}

/** Bigger files are not taken into memory to be changed. */
const CHANGE_LIMIT = 32 * 1024 * 1024
const MARKS: Partial<Record<TextEncodingName, number[]>> = {
  'utf-8': [0xef, 0xbb, 0xbf],
  'utf-16le': [0xff, 0xfe],
  'utf-16be': [0xfe, 0xff],
}

/** @throws ToolError TOO_BIG and those of opening. */
export async function readTextFile(path: OpenedPath, requested: string): Promise<TextFile> {
  const handle = await openForReading(path, requested)
  try {
    return await readFromHandle(handle, requested)
  } finally {
    await handle.close()
  }
}

async function readFromHandle(handle: FileHandle, requested: string): Promise<TextFile> {
  const { size } = await handle.stat()
  if (size > CHANGE_LIMIT)
    throw new ToolError(
      'TOO_BIG',
      `${requested} has ${size} bytes; files over ${CHANGE_LIMIT} bytes are not changed as text. Use run_command with a program such as sed for it.`,
    )
  const stamp = await stampOf(handle)
  const bytes = await handle.readFile()
  const detected = detectEncoding(bytes, true)
  const version = { stamp, hash: hashBytes(bytes), bytes }
  if (detected === 'binary') return { version, text: undefined, encoding: 'utf-8', bom: false, crlf: false }
  const text = await decodeAll(bytes.subarray(detected.bomLength), detected.encoding)
  const breaks = text.match(/\r?\n/g) ?? []
  return {
    version,
    text,
    encoding: detected.encoding,
    bom: detected.bomLength > 0,
    crlf: breaks.length > 0 && breaks.every((lineEnd) => lineEnd === '\r\n'),
  }
}

/** @throws ToolError NOT_ENCODABLE when the file's encoding lacks a character. */
export async function encodeLike(text: string, file: Pick<TextFile, 'encoding' | 'bom'>, requested: string): Promise<Uint8Array> {
  const encoded = await encodeAll(text, file.encoding)
  if (encoded === undefined)
    throw new ToolError(
      'NOT_ENCODABLE',
      `${requested} is in ${file.encoding.toUpperCase()}, which lacks some of the new characters. Use only characters that encoding has, or ask the user whether the file may become UTF-8.`,
    )
  const mark = file.bom ? (MARKS[file.encoding] ?? []) : []
  return mark.length === 0 ? encoded : Buffer.concat([Buffer.from(mark), encoded])
}
