import { expect, test } from 'vitest'
import { Agreements } from '#workers/session/judge-files.ts'

const VERDICTS = [{ name: 'AGENTS.md', hash: 'a1' }]

test('what storage said at opening is known, for that folder alone', () => {
  const agreements = new Agreements()
  agreements.opened('/folder', VERDICTS, 1)
  expect([agreements.of('/folder'), agreements.of('/other')]).toEqual([VERDICTS, []])
})

test('after any answer of the person it counts no longer, and builds are told', () => {
  const agreements = new Agreements()
  agreements.opened('/folder', VERDICTS, 1)
  const before = agreements.answers
  agreements.answered()
  expect([agreements.of('/folder'), agreements.answers > before]).toEqual([[], true])
})

test('a file that differs ends it', () => {
  const agreements = new Agreements()
  agreements.opened('/folder', VERDICTS, 1)
  agreements.forget('/folder')
  expect(agreements.of('/folder')).toEqual([])
})

test('after another process wrote to the profile it counts no longer, and what is opened then does', () => {
  const agreements = new Agreements()
  agreements.opened('/folder', VERDICTS, 1)
  agreements.profileIs(1)
  expect(agreements.of('/folder')).toEqual(VERDICTS)
  const before = agreements.answers
  agreements.profileIs(2)
  expect([agreements.of('/folder'), agreements.answers > before]).toEqual([[], true])
  agreements.opened('/folder', VERDICTS, 2)
  expect(agreements.of('/folder')).toEqual(VERDICTS)
})
