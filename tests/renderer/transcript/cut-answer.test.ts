import { AnswerCutter, type AnswerPiece } from '#renderer/features/transcript/cut-answer.ts'
import { seededRandom } from '#tests/helpers/random.ts'
import { expect, test } from 'vitest'

const LONGEST = 24 * 1024

/** What the pieces hold of the source, by their starts. */
const sourceOf = (text: string, pieces: readonly AnswerPiece[]): string =>
  pieces.map((piece, index) => text.slice(piece.start, pieces[index + 1]?.start ?? text.length)).join('')

test('a short answer is one piece', () => {
  expect(new AnswerCutter().update('one\n\ntwo')).toEqual([{ start: 0, text: 'one\n\ntwo' }])
})

test('prose is cut between paragraphs, and every piece is whole Markdown', () => {
  const text = Array.from({ length: 400 }, (_, index) => `Paragraph ${index} ${'word '.repeat(30)}`).join('\n\n')
  const pieces = new AnswerCutter().update(text)
  expect(pieces.length).toBeGreaterThan(3)
  expect(pieces.every((piece) => piece.text.startsWith('Paragraph '))).toBe(true)
  expect(pieces.map((piece) => piece.text).join('')).toBe(text)
})

test('a code block without an end is closed and opened anew', () => {
  const text = `\`\`\`ts\n${'const a = 1\n'.repeat(5000)}`
  const pieces = new AnswerCutter().update(text)
  expect(pieces.length).toBeGreaterThan(2)
  expect(pieces.every((piece) => piece.text.startsWith('```ts\n'))).toBe(true)
  expect(pieces.slice(0, -1).every((piece) => piece.text.endsWith('\n```'))).toBe(true)
})

test('one endless line is cut at spaces, or by force, never inside a character', () => {
  const spaced = new AnswerCutter().update('word '.repeat(20_000))
  expect(spaced.slice(0, -1).every((piece) => piece.text.endsWith(' '))).toBe(true)
  const solid = new AnswerCutter().update('😀'.repeat(50_000))
  expect(solid.length).toBeGreaterThan(2)
  expect(solid.every((piece) => piece.text.isWellFormed())).toBe(true)
})

test('whatever comes in, in whatever steps: nothing is lost, nothing is long, what was cut off never changes', () => {
  const { next } = seededRandom('answers cut into pieces')
  const parts = [
    '\n',
    '\n\n',
    '```',
    '```js\n',
    '~~~\n',
    '- item ',
    '| a | b |\n',
    'x'.repeat(500),
    'word ',
    '😀',
    '    code\n',
    '> quote\n',
  ]
  for (let round = 0; round < 20; round += 1) {
    const cutter = new AnswerCutter()
    let text = ''
    let before: readonly AnswerPiece[] = []
    while (text.length < 90_000) {
      for (let count = 0; count < 60; count += 1) text += parts[Math.floor(next() * parts.length)] ?? ''
      const pieces = cutter.update(text)
      expect(pieces.slice(0, before.length - 1)).toEqual(before.slice(0, -1))
      before = pieces
    }
    expect(sourceOf(text, before)).toBe(text)
    expect(Math.max(...before.map((piece) => piece.text.length))).toBeLessThan(LONGEST * 2)
  }
})
