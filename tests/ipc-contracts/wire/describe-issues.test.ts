import * as z from 'zod'
import { expect, test } from 'vitest'
import { describeIssues } from '#contracts/wire/describe-issues.ts'

const Schema = z.object({ operation: z.object({ text: z.string().max(3, 'too long') }), limit: z.number('no number') })
const found = (value: unknown): string => {
  const { error } = Schema.safeParse(value)
  return error === undefined ? 'nothing' : describeIssues(error)
}

test('each place with what is wrong there, in one line', () => {
  expect(found({ operation: { text: 'four' }, limit: 'x' })).toBe('operation.text: too long; limit: no number')
})

test('of many only the first are named', () => {
  const { error } = z.array(z.number('no number')).safeParse(Array.from({ length: 9 }, () => 'x'))
  expect(error === undefined ? '' : describeIssues(error)).toBe('0: no number; 1: no number; 2: no number; 3: no number; 4: no number …')
})
