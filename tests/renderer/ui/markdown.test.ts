import { healTail } from '#renderer/ui/markdown/heal-tail.ts'
import { StreamingMarkdown, type MarkdownBlock } from '#renderer/ui/markdown/streaming-markdown.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proof } from '../../helpers/proof.ts'

const TEXT = `# Title

A paragraph with **bold**, *soft* and \`code\`
over two lines.

- one
- two

  still two
  - inner
- three

1. first
2. second

> quoted **text**

| a | b |
| --- | ---: |
| 1 | 2 |

\`\`\`ts
const x = "**not bold**"

const y = 1
\`\`\`

Last [link](https://example.com) and ![image](x.png).
`

const shape = (blocks: readonly MarkdownBlock[]): unknown =>
  blocks.map((block) => ({ key: block.key, tokens: block.tokens.map((token) => [token.type, token.tag, token.content, token.info]) }))

test('a text that came in pieces ends as the same blocks as the text given whole', () => {
  const whole = shape(new StreamingMarkdown().update(TEXT, false))
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: TEXT.length }), { maxLength: 40 }), (cuts) => {
      const streaming = new StreamingMarkdown()
      for (const cut of [...cuts].sort((left, right) => left - right)) streaming.update(TEXT.slice(0, cut), true)
      expect(shape(streaming.update(TEXT, false))).toEqual(whole)
    }),
    { numRuns: proof(2000, 200) },
  )
})

test('the same holds for line ends of every kind', () => {
  for (const end of ['\r\n', '\r']) {
    const text = TEXT.replaceAll('\n', end)
    const streaming = new StreamingMarkdown()
    for (let length = 0; length < text.length; length += 7) streaming.update(text.slice(0, length), true)
    expect(shape(streaming.update(text, false))).toEqual(shape(new StreamingMarkdown().update(text, false)))
  }
})

test('a block that another one follows keeps its identity for good', () => {
  const streaming = new StreamingMarkdown()
  const seen = new Map<number, MarkdownBlock>()
  for (let length = 1; length <= TEXT.length; length++) {
    for (const block of streaming.update(TEXT.slice(0, length), true).slice(0, -1)) {
      const known = seen.get(block.key)
      if (known !== undefined) expect(block).toBe(known)
      seen.set(block.key, block)
    }
  }
  expect(seen.size).toBeGreaterThan(5)
})

test('a text that was replaced starts anew', () => {
  const streaming = new StreamingMarkdown()
  streaming.update('one\n\ntwo\n\nthree', true)
  expect(shape(streaming.update('four\n\nfive', false))).toEqual(shape(new StreamingMarkdown().update('four\n\nfive', false)))
})

test('raw HTML is text, never a token of its own', () => {
  const types = new StreamingMarkdown()
    .update('<script>x</script>\n\na <b onclick=x>b</b>\n\n<iframe src=x>', false)
    .flatMap((block) => block.tokens.flatMap((token) => [token.type, ...(token.children ?? []).map((child) => child.type)]))
  expect(types.filter((type) => type.startsWith('html'))).toEqual([])
})

test.each([
  ['a **bold', 'a **bold**'],
  ['a **bold** and', 'a **bold** and'],
  ['a *soft', 'a *soft*'],
  ['a ***both', 'a ***both***'],
  ['a ~~gone', 'a ~~gone~~'],
  ['use `code', 'use `code`'],
  ['use ``co`de', 'use ``co`de``'],
  ['`a **b', '`a **b`'],
  ['see [the docs](https://exa', 'see the docs'],
  ['see [the do', 'see the do'],
  ['see ![pict', 'see '],
  ['see ![pict](htt', 'see '],
  ['- [ ', '- [ '],
  ['snake_case_name', 'snake_case_name'],
  ['2 * 3 * 4', '2 * 3 * 4'],
  ['done. **', 'done. '],
  ['first **open\n\nsecond', 'first **open\n\nsecond'],
  ['', ''],
])('the unfinished end %j is shown as %j', (source, healed) => {
  expect(healTail(source)).toBe(healed)
})

test('healing only ever touches markers and links, never words', () => {
  const words = (text: string): string[] =>
    text
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
      .split(' ')
  fc.assert(
    fc.property(fc.array(fc.constantFrom('word', ' ', '**', '*', '`', '~~', '_', '\n', '\n\n', '- ', '1. ', '中文', '#')), (parts) => {
      const source = parts.join('')
      expect(words(healTail(source))).toEqual(words(source))
    }),
    { numRuns: proof(5000, 500) },
  )
})
