import { expect, test } from 'vitest'
import { Agreements } from '#workers/session/judge-files.ts'

const VERDICTS = [{ name: 'AGENTS.md', hash: 'a1' }]

test('what storage said at opening is known, for that folder alone', () => {
  const agreements = new Agreements()
  agreements.opened('/folder', VERDICTS)
  expect([agreements.of('/folder'), agreements.of('/other')]).toEqual([VERDICTS, []])
})

test('after any answer of the person it counts no longer, and builds are told', () => {
  const agreements = new Agreements()
  agreements.opened('/folder', VERDICTS)
  const before = agreements.answers
  agreements.answered()
  expect([agreements.of('/folder'), agreements.answers > before]).toEqual([[], true])
})

test('a file that differs ends it', () => {
  const agreements = new Agreements()
  agreements.opened('/folder', VERDICTS)
  agreements.forget('/folder')
  expect(agreements.of('/folder')).toEqual([])
})
