/**
 * Bytes of a program's output → text. Programs mix encodings, so each line is judged by itself:
 * UTF-8 if it is that, else GBK if it is that, else UTF-8 with replacements.
 */
import { TextDecoder } from 'node:util'
import { isUtf8 } from '../domain/detect-encoding.ts'

/** A line this long without an end is decoded in pieces. */
const LONG_LINE = 16 * 1024

export class LineDecoder {
  private rest: Buffer = Buffer.alloc(0)
  private readonly strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  private readonly lossy = new TextDecoder('utf-8', { ignoreBOM: true })
  private readonly gbk = new TextDecoder('gb18030', { fatal: true })

  /** Text of all lines that are complete, and of long ones without end. The rest waits for `write` or `flush`. */
  write(chunk: Buffer): string {
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk])
    const end = bytes.lastIndexOf(10) + 1
    const cut = end === 0 && bytes.length > LONG_LINE ? wholeCharacters(bytes) : end
    this.rest = bytes.subarray(cut)
    return cut === 0 ? '' : this.decode(bytes.subarray(0, cut))
  }

  /** What waits, as far as its characters are whole: for showing a prompt or a progress line. */
  flushPartial(): string {
    const cut = wholeCharacters(this.rest)
    const text = cut === 0 ? '' : this.decode(this.rest.subarray(0, cut))
    this.rest = this.rest.subarray(cut)
    return text
  }

  end(): string {
    const text = this.rest.length === 0 ? '' : this.decode(this.rest)
    this.rest = Buffer.alloc(0)
    return text
  }

  private decode(bytes: Buffer): string {
    if (isAllUtf8(this.strict, bytes)) return this.lossy.decode(bytes)
    let text = ''
    for (let from = 0; from < bytes.length;) {
      const end = bytes.indexOf(10, from)
      const line = bytes.subarray(from, end < 0 ? bytes.length : end + 1)
      text += this.decodeLine(line)
      from += line.length
    }
    return text
  }

  private decodeLine(line: Buffer): string {
    if (isAllUtf8(this.strict, line)) return this.lossy.decode(line)
    try {
      return this.gbk.decode(line)
    } catch {
      return this.lossy.decode(line)
    }
  }
}

function isAllUtf8(strict: TextDecoder, bytes: Buffer): boolean {
  try {
    strict.decode(bytes)
    return true
  } catch {
    return false
  }
}

/** Up to where no character is cut in two, for UTF-8 and for two-byte encodings alike. */
function wholeCharacters(bytes: Buffer): number {
  if (isUtf8(bytes, true)) return bytes.length
  if (isUtf8(bytes, false)) {
    let cut = bytes.length
    while (cut > 0 && ((bytes[cut - 1] as number) & 0xc0) === 0x80) cut--
    return Math.max(0, cut - 1)
  }
  // Two-byte: pairs are counted from the last plain ASCII byte on.
  let start = bytes.length
  while (start > 0 && (bytes[start - 1] as number) >= 0x80) start--
  return (bytes.length - start) % 2 === 0 ? bytes.length : bytes.length - 1
}
