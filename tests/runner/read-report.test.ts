import { expect, test } from 'vitest'
import { readReport } from './read-report.ts'

const file = (status: string, tests: readonly (readonly [string, string])[]) => ({
  name: 'f',
  status,
  assertionResults: tests.map(([fullName, state]) => ({ fullName, status: state })),
})
const read = (...testResults: unknown[]) => readReport(JSON.stringify({ testResults }))

test('counts tests, not files', () => {
  expect(
    read(
      file('passed', [['a', 'passed']]),
      file('failed', [
        ['b', 'passed'],
        ['c', 'failed'],
        ['d', 'failed'],
      ]),
    ),
  ).toEqual({
    passed: 2,
    failed: 2,
    skipped: [],
  })
})

test('a file that could not be loaded is a failure, though it has no test', () => {
  expect(read(file('failed', []))).toEqual({ passed: 0, failed: 1, skipped: [] })
})

test('a broken hook is a failure, though every test of the file passed', () => {
  expect(read(file('failed', [['a', 'passed']]))).toEqual({ passed: 1, failed: 1, skipped: [] })
})

test('what did not run is named', () => {
  expect(
    read(
      file('passed', [
        ['a', 'passed'],
        [' b ', 'pending'],
        ['c', 'todo'],
      ]),
    ),
  ).toEqual({
    passed: 1,
    failed: 0,
    skipped: [
      { file: 'f', name: 'b' },
      { file: 'f', name: 'c' },
    ],
  })
})
