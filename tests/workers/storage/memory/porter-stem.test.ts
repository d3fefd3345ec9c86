/** Oracle: the stemmer inside SQLite. */
import { readFileSync } from 'node:fs'
import DatabaseConstructor from 'better-sqlite3'
import { expect, it } from 'vitest'
import { porterStem } from '#workers/storage/domain/porter-stem.ts'
import { seededRandom } from '#tests/helpers/random.ts'

const ENDINGS =
  's es ies sses ed ing eed y ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness fulness ousness aliti iviti biliti logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize e ll le'.split(
    ' ',
  )

it('real words and made-up ones have the stem that SQLite gives them', () => {
  const random = seededRandom('porter')
  // Nothing but an ending, and a y that is doubled: made-up words come to these once in many runs.
  const words = new Set('ies sses eed eeds oiyying'.split(' '))
  for (const file of ['README.md', 'CHANGELOG.md', 'renderer/README.md'])
    for (const [word] of readFileSync(file, 'utf8')
      .toLowerCase()
      .matchAll(/[a-z]{2,30}/g))
      words.add(word)
  const letters = 'aeiouybcdfglmnprstvwxz'
  for (let made = 0; made < 4000; made++) {
    let word = ''
    const length = random.between(1, 7)
    while (word.length < length) word += letters.charAt(Math.floor(random.between(0, letters.length)))
    words.add(word + (ENDINGS[Math.floor(random.between(0, ENDINGS.length))] ?? ''))
  }
  const database = new DatabaseConstructor(':memory:')
  database.exec("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter ascii'); CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)")
  const insert = database.prepare('INSERT INTO t (rowid, x) VALUES (?, ?)')
  const list = [...words]
  list.forEach((word, index) => insert.run(index + 1, word))
  const stems = new Map(
    database
      .prepare<[], { term: string; doc: number }>('SELECT term, doc FROM v')
      .all()
      .map(({ term, doc }) => [list[doc - 1] ?? '', term]),
  )
  const differing = list.filter((word) => porterStem(word) !== stems.get(word)).map((word) => [word, porterStem(word), stems.get(word)])
  expect(differing).toEqual([])
  expect(list.length).toBeGreaterThan(4000)
})
