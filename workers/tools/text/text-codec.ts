/** Decoding and encoding by the names `detectEncoding` gives. iconv-lite is loaded only for the legacy ones. */
import type * as IconvLite from 'iconv-lite'
import type { TextEncodingName } from '../domain/detect-encoding.ts'

export interface StreamDecoder {
  write(bytes: Uint8Array): string
  end(): string
}

type Iconv = typeof IconvLite
let iconv: Promise<Iconv> | undefined

async function loadIconv(): Promise<Iconv> {
  iconv ??= import('iconv-lite').then((module) => (module as unknown as { default?: Iconv }).default ?? module)
  return iconv
}

/** A decoder that keeps characters whole over chunk borders. Bytes that fit nothing become U+FFFD. A byte order mark is the caller's to skip. */
export async function createDecoder(encoding: TextEncodingName): Promise<StreamDecoder> {
  if (encoding === 'utf-8' || encoding === 'utf-16le' || encoding === 'utf-16be') {
    const decoder = new TextDecoder(encoding, { ignoreBOM: true })
    return { write: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() }
  }
  const decoder = (await loadIconv()).getDecoder(iconvName(encoding))
  return { write: (bytes) => decoder.write(asBuffer(bytes)), end: () => decoder.end() ?? '' }
}

export async function decodeAll(bytes: Uint8Array, encoding: TextEncodingName): Promise<string> {
  const decoder = await createDecoder(encoding)
  return decoder.write(bytes) + decoder.end()
}

/** Without a byte order mark. Nothing when a character does not exist in the encoding. */
export async function encodeAll(text: string, encoding: TextEncodingName): Promise<Uint8Array | undefined> {
  if (encoding === 'utf-8') return Buffer.from(text, 'utf8')
  const encoded = (await loadIconv()).encode(text, iconvName(encoding), { addBOM: false })
  return (await decodeAll(encoded, encoding)) === text ? encoded : undefined
}

function iconvName(encoding: TextEncodingName): string {
  // GB 18030 holds GBK and every other character besides.
  return encoding === 'gbk' ? 'gb18030' : encoding
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
