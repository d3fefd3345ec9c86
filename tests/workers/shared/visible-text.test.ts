import { expect, test } from 'vitest'
import { hasHiddenText, visibleText } from '#workers/shared/visible-text.ts'

test.each([
  ['rm \u202ecod.exe', 'rm ⟨U+202E⟩cod.exe'],
  ['ls\u200b -la', 'ls⟨U+200B⟩ -la'],
  ['ⅼs', '⟨U+217C⟩s'],
  ['ｌｓ', '⟨U+FF4C⟩⟨U+FF53⟩'],
  ['𝗋𝗆', '⟨U+1D5CB⟩⟨U+1D5C6⟩'],
  ['pаypal', 'p⟨U+0430⟩ypal'],
  ['a\u00a0b', 'a⟨U+00A0⟩b'],
  ['a\u001b[31mb', 'a⟨U+001B⟩[31mb'],
  ['echo a\u037e rm b', 'echo a⟨U+037E⟩ rm b'],
  ['a\rb', 'a⟨U+000D⟩b'],
  ['x\u{e0041}', 'x⟨U+E0041⟩'],
  ['a\u2028b', 'a⟨U+2028⟩b'],
  ['1\u2215 2', '1⟨U+2215⟩ 2'],
])('%j is shown as %s', (text, shown) => {
  expect(visibleText(text)).toBe(shown)
  expect(hasHiddenText(text)).toBe(true)
})

test.each([
  '读取 data.csv，并分析内容；好吗？',
  'Привет, мир',
  'Ελλάδα',
  'こんにちは、世界！',
  'naïve café',
  '한국어',
  '👩‍👩‍👧 ok ✔️',
  'for i in 1 2; do\n\techo "$i"\ndone',
  'a\r\nb',
  'a – b — c “d”…',
])('%j stays as it is', (text) => {
  expect(visibleText(text)).toBe(text.replaceAll('\r\n', '\n'))
  expect(hasHiddenText(text)).toBe(false)
})

test('in a path line feeds and tabs are shown too', () => {
  expect(visibleText('a\nb\tc', false)).toBe('a⟨U+000A⟩b⟨U+0009⟩c')
})
