import { describe, expect, test } from 'vitest'
import { countImages, imageSize, imageTokens } from '#workers/context/tokenizers/image-tokens.ts'

const png = (width: number, height: number): Buffer => {
  const bytes = Buffer.alloc(33)
  bytes.writeUInt32BE(0x89504e47, 0)
  bytes.writeUInt32BE(0x0d0a1a0a, 4)
  bytes.write('IHDR', 12, 'latin1')
  bytes.writeUInt32BE(width, 16)
  bytes.writeUInt32BE(height, 20)
  return bytes
}
const jpeg = (width: number, height: number): Buffer => {
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0x01, 0x00]), Buffer.alloc(254)])
  const frame = Buffer.from([0xff, 0xc2, 0, 17, 8, height >> 8, height & 255, width >> 8, width & 255, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  return Buffer.concat([Buffer.from([0xff, 0xd8]), comment, frame])
}
const gif = Buffer.from([...Buffer.from('GIF89a'), 0x40, 0x01, 0xf0, 0x00, 0, 0])
const webp = Buffer.concat([
  Buffer.from('RIFF\0\0\0\0WEBPVP8X', 'latin1'),
  Buffer.from([10, 0, 0, 0, 0, 0, 0, 0, 0x1f, 0x03, 0, 0x57, 0x02, 0]),
])

describe('imageSize', () => {
  test.each([
    ['PNG', png(1920, 1080), { width: 1920, height: 1080 }],
    ['JPEG behind a comment', jpeg(800, 600), { width: 800, height: 600 }],
    ['GIF', gif, { width: 320, height: 240 }],
    ['WebP', webp, { width: 800, height: 600 }],
    ['something else', Buffer.from('%PDF-1.7 and more text than any header needs'), undefined],
    ['a truncated PNG', png(10, 10).subarray(0, 12), undefined],
    ['an empty file', Buffer.alloc(0), undefined],
  ])('of %s', (_name, bytes, size) => {
    expect(imageSize(bytes)).toEqual(size)
  })
})

describe('imageTokens', () => {
  test.each([
    // Published: about 496 and 970 tokens.
    ['deepseek', 1024, 768, 470, 520],
    ['deepseek', 1920, 1080, 940, 1024],
    // 85 + 170 per 512-pixel tile.
    ['openai', 1024, 1024, 765, 765],
    ['openai', 2048, 4096, 1105, 1105],
    ['anthropic', 1000, 1000, 1200, 1568],
  ] as const)('%s, %i × %i', (family, width, height, least, most) => {
    const tokens = imageTokens(width, height, family, 1_600)
    expect([tokens >= least, tokens <= most]).toEqual([true, true])
  })

  test('an image whose size cannot be read costs the fallback, not nothing and not its base64', () => {
    expect(
      countImages(
        { role: 'user', content: '', timestamp: 0, images: [{ mediaType: 'image/x', data: 'A'.repeat(100_000) }] },
        'openai',
        1_105,
      ),
    ).toBe(1_105)
  })
})
