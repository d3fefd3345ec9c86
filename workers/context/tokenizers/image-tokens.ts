/** What an image costs: read from its size, which stands in the first bytes of the file. */
import type { MetonaImage, MetonaMessage } from '#contracts/metona/metona-request.ts'
import type { OverheadFamily } from '../domain/prompt-overhead.ts'

/** Enough base64 to reach the size in every format but a JPEG with a large preview. */
const HEAD_CHARACTERS = 87_000
const known = new WeakMap<MetonaImage, Map<OverheadFamily, number>>()

/** @param fallback tokens for an image whose size cannot be read; never 0, never its base64 length. */
export function countImages(message: MetonaMessage, family: OverheadFamily, fallback: number): number {
  let tokens = 0
  for (const image of message.images ?? []) {
    const counts = known.get(image) ?? new Map<OverheadFamily, number>()
    known.set(image, counts)
    let count = counts.get(family)
    if (count === undefined) {
      const size = imageSize(Buffer.from(image.data.slice(0, HEAD_CHARACTERS), 'base64'))
      count = size === undefined ? fallback : imageTokens(size.width, size.height, family, fallback)
      counts.set(family, count)
    }
    tokens += count
  }
  return tokens
}

/** By the providers' published rules. */
export function imageTokens(width: number, height: number, family: OverheadFamily, fallback: number): number {
  switch (family) {
    case 'deepseek': {
      // A grid of 42 pixels with one more token a row; what needs more than 1,024 is scaled down first.
      const whole = Math.ceil(height / 42) * (Math.ceil(width / 42) + 1) + 2
      if (whole <= 1_024) return whole
      const scale = Math.sqrt((950 * 42 * 42) / (width * height))
      return Math.min(1_024, Math.max(1, Math.floor((height * scale) / 42)) * (Math.max(1, Math.floor((width * scale) / 42)) + 1) + 2)
    }
    case 'anthropic': {
      const scale = Math.min(1, 1_568 / Math.max(width, height))
      return Math.min(1_568, Math.ceil((width * scale) / 28) * Math.ceil((height * scale) / 28))
    }
    case 'openai': {
      const fit = Math.min(1, 2_048 / Math.max(width, height))
      const short = Math.min(1, 768 / (Math.min(width, height) * fit))
      return 85 + 170 * Math.ceil((width * fit * short) / 512) * Math.ceil((height * fit * short) / 512)
    }
    case 'qwen':
    case 'generic':
      return fallback
  }
}

/** Width and height in pixels of a PNG, GIF, WebP or JPEG; undefined when the bytes do not say. */
export function imageSize(bytes: Buffer): { width: number; height: number } | undefined {
  const valid = (width: number, height: number): { width: number; height: number } | undefined =>
    width > 0 && height > 0 ? { width, height } : undefined
  if (bytes.length >= 24 && bytes.readUInt32BE(0) === 0x89504e47) return valid(bytes.readUInt32BE(16), bytes.readUInt32BE(20))
  if (bytes.length >= 10 && bytes.toString('latin1', 0, 4) === 'GIF8') return valid(bytes.readUInt16LE(6), bytes.readUInt16LE(8))
  if (bytes.length >= 30 && bytes.toString('latin1', 8, 12) === 'WEBP') return webpSize(bytes, valid)
  if (bytes.length >= 4 && bytes.readUInt16BE(0) === 0xffd8) return jpegSize(bytes, valid)
  return undefined
}

type Valid = (width: number, height: number) => { width: number; height: number } | undefined

function webpSize(bytes: Buffer, valid: Valid): ReturnType<Valid> {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return valid(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff)
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return valid((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
    }
    case 'VP8X':
      return valid(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1)
    default:
      return undefined
  }
}

function jpegSize(bytes: Buffer, valid: Valid): ReturnType<Valid> {
  let at = 2
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1] as number
    if (marker === 0xff) {
      at++
      continue
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return valid(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5))
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}
