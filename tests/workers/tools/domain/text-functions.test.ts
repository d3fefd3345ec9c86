import fc from 'fast-check'
import iconv from 'iconv-lite'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '#workers/tools/domain/canonical-json.ts'
import { cleanTerminalText } from '#workers/tools/domain/clean-terminal-text.ts'
import { detectEncoding, isUtf8 } from '#workers/tools/domain/detect-encoding.ts'
import { replaceExactly } from '#workers/tools/domain/replace-exactly.ts'
import { QuantileDigest } from '#workers/tools/domain/quantile-digest.ts'
import { LineDecoder } from '#workers/tools/commands/line-decoder.ts'

/** A property that fails throws with its smallest counterexample. */
function holds(property: fc.IProperty<never> | unknown, numRuns = 500): void {
  expect(() => fc.assert(property as fc.IProperty<unknown>, { numRuns })).not.toThrow()
}

test('canonical JSON is the same whatever the order of keys', () => {
  expect(canonicalJson({ b: [1, { d: 2, c: 3 }], a: 'x', e: undefined })).toBe('{"a":"x","b":[1,{"c":3,"d":2}]}')
})

describe('terminal text', () => {
  test.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007text', 'text'],
    ['\u001b]8;;https://evil/\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u001b]52;c;Y2xpcA==\u0007x', 'x'],
    ['10%\r50%\r100%\ndone', '100%\ndone'],
    ['a\r\nb', 'a\nb'],
    ['bo\u0008\u0008BOLD', 'BOLD'],
    ['\u001b(B\u001b[2Jx\u0007', 'x'],
    ['plain\ttext\n', 'plain\ttext\n'],
  ])('%j becomes %j', (raw, clean) => {
    expect(cleanTerminalText(raw)).toBe(clean)
  })
})

describe('encodings', () => {
  const chinese = '姓名,城市\n张三,北京\n李四,上海市浦东新区\n项目的主要目标是提高系统的可靠性。'
  const japanese = '名前,都市\n田中さんは東京に住んでいます。\nこれはテストです。カタカナも。'
  test.each([
    ['utf-8', Buffer.from(chinese), 'utf-8'],
    ['gbk', iconv.encode(chinese, 'gbk'), 'gbk'],
    ['shift_jis', iconv.encode(japanese, 'shift_jis'), 'shift_jis'],
    ['utf-16le with mark', iconv.encode(chinese, 'utf-16le', { addBOM: true }), 'utf-16le'],
    ['utf-16be with mark', iconv.encode('plain text', 'utf-16be', { addBOM: true }), 'utf-16be'],
    ['utf-16le without mark', iconv.encode('plain ascii text in two bytes', 'utf-16le'), 'utf-16le'],
    ['latin', Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x20, 0x6f, 0x6b]), 'windows-1252'],
    ['short gbk', iconv.encode('你好', 'gbk'), 'gbk'],
    ['empty', Buffer.alloc(0), 'utf-8'],
  ])('%s is recognised', (_name, bytes, encoding) => {
    expect(detectEncoding(bytes, true)).toMatchObject({ encoding })
  })

  test('programs and images are binary', () => {
    expect(detectEncoding(Buffer.from('\u0089PNG\r\n\u001a\n\0\0\0\rIHDR\0\0', 'latin1'), true)).toBe('binary')
    expect(detectEncoding(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0]), true)).toBe('binary')
  })

  test('the UTF-8 check agrees with the platform decoder on any bytes', () => {
    const strict = new TextDecoder('utf-8', { fatal: true })
    const accepted = (bytes: Uint8Array): boolean => {
      try {
        strict.decode(bytes)
        return true
      } catch {
        return false
      }
    }
    holds(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 12 }),
          fc.string({ unit: 'binary' }).map((text) => new TextEncoder().encode(text)),
        ),
        (bytes) => isUtf8(bytes, true) === accepted(bytes),
      ),
      2000,
    )
  })
})

describe('output decoding', () => {
  test('GBK lines among UTF-8 lines are readable at every split', () => {
    const bytes = Buffer.concat([
      Buffer.from('你好 utf8\n'),
      iconv.encode('中文 输出\n', 'gbk'),
      Buffer.from('plain\n'),
      Buffer.from('表情😀\n'),
    ])
    const expected = '你好 utf8\n中文 输出\nplain\n表情😀\n'
    for (let cut = 0; cut <= bytes.length; cut++) {
      const decoder = new LineDecoder()
      expect(decoder.write(bytes.subarray(0, cut)) + decoder.write(bytes.subarray(cut)) + decoder.end()).toBe(expected)
    }
  })

  test('one line of 300 KB without an end is not held back, and no character is cut', () => {
    const decoder = new LineDecoder()
    const line = '好'.repeat(100_000)
    const bytes = Buffer.from(line)
    let text = ''
    for (let at = 0; at < bytes.length; at += 10_001) text += decoder.write(bytes.subarray(at, at + 10_001))
    expect(text.length).toBeGreaterThan(90_000)
    expect(text + decoder.end()).toBe(line)
  })
})

describe('exact replacement', () => {
  test('LF text fits a CRLF file, which stays CRLF', () => {
    expect(replaceExactly('a\r\nb\r\nc', 'a\nb\n', 'x\ny\nz\n')).toEqual({ kind: 'replaced', text: 'x\r\ny\r\nz\r\nc' })
  })
  test('in a mixed file only the passage changes', () => {
    expect(replaceExactly('a\r\nb\nc\nd\r\n', 'b\nc', 'B\nC')).toEqual({ kind: 'replaced', text: 'a\r\nB\nC\nd\r\n' })
  })
  test('several places are named by line', () => {
    expect(replaceExactly('x\ny\nx\n', 'x', 'z')).toEqual({ kind: 'ambiguous', lines: [1, 3] })
  })
  test('where only blanks differ, the real text is given', () => {
    expect(replaceExactly('if (a) {\n\treturn 1\n}', 'if (a) {\n    return 1\n}', 'x')).toEqual({
      kind: 'absent',
      near: { line: 1, text: 'if (a) {\n\treturn 1\n}' },
    })
  })
  test('any unique passage of any text is replaced and nothing else', () => {
    holds(
      fc.property(
        fc.array(fc.constantFrom('a', 'b', '\r\n', '\n', '\r', '好', '😀'), { minLength: 1, maxLength: 30 }),
        fc.nat(),
        fc.nat(),
        (parts, from, length) => {
          const start = from % parts.length
          const end = Math.min(parts.length, start + 1 + (length % 5))
          const [before, old, after] = [parts.slice(0, start).join(''), parts.slice(start, end).join(''), parts.slice(end).join('')]
          // A passage that begins or ends inside a CRLF is no passage of lines.
          if (before.endsWith('\r') || old.endsWith('\r') || old === '') return true
          const outcome = replaceExactly(before + old + after, old, 'NEW')
          return outcome.kind === 'ambiguous' || (outcome.kind === 'replaced' && outcome.text === `${before}NEW${after}`)
        },
      ),
      3000,
    )
  })
})

test('approximate quantiles of 200,000 values are within 1 % of rank', () => {
  let seed = 12345
  const random = (): number => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648
  const values = Array.from({ length: 200_000 }, () => Math.exp(5 * random()))
  const digest = new QuantileDigest()
  for (const value of values) digest.add(value)
  const sorted = [...values].sort((left, right) => left - right)
  for (const share of [0.01, 0.25, 0.5, 0.75, 0.95, 0.99]) {
    const rank = sorted.findIndex((value) => value >= digest.quantile(share)) / sorted.length
    expect(Math.abs(rank - share)).toBeLessThan(0.01)
  }
  expect(digest.exact).toBe(false)
})
