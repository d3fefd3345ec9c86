import { foldCase } from '#renderer/ui/fold-case.ts'
import { expect, test } from 'vitest'

test('what is folded keeps every place', () => {
  expect(['İİx', 'İX', 'Straße ÄÖ', '𐐀𐐁İ', 'ΑΣ', ''].map(foldCase)).toEqual(['İİx', 'İx', 'straße äö', '𐐨𐐩İ', 'ας', ''])
})

test('every code point keeps its length', () => {
  const longer: number[] = []
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const letter = String.fromCodePoint(code)
    if (foldCase(letter).length !== letter.length) longer.push(code)
  }
  expect(longer).toEqual([])
})
