import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findTests, isInPath, maySkip } from './find-tests.ts'
import { suites } from './suites.ts'

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'metona-suites-'))
  await mkdir(join(root, 'tests/e2e/deep'), { recursive: true })
  await writeFile(join(root, 'tests/e2e/plain.test.ts'), '')
  await writeFile(join(root, 'tests/e2e/helper.ts'), '')
  await writeFile(join(root, 'tests/e2e/deep/window.test.ts'), '/** What it shows. */\n// needs: chromium, strace\n')
})
afterEach(() => rm(root, { recursive: true, force: true }))

const suite = { name: 'e2e', paths: ['tests/e2e'], atOnce: 1, limitMinutes: 1 }

test('takes the test files of a folder, however deep, and nothing else', () => {
  expect(findTests(root, suite, () => true)).toEqual({
    runnable: ['tests/e2e/deep/window.test.ts', 'tests/e2e/plain.test.ts'],
    notRunnable: [],
  })
})

test('names a file whose programs are missing, with the programs', () => {
  expect(findTests(root, suite, (program) => program !== 'strace')).toEqual({
    runnable: ['tests/e2e/plain.test.ts'],
    notRunnable: [{ file: 'tests/e2e/deep/window.test.ts', missing: ['strace'] }],
  })
})

test('a file may be left to another suite', () => {
  expect(findTests(root, { ...suite, exclude: ['tests/e2e/plain.test.ts'] }, () => true).runnable).toEqual([
    'tests/e2e/deep/window.test.ts',
  ])
})

test('a suite without a folder has no tests', () => {
  expect(findTests(root, { ...suite, paths: ['tests/none'] })).toEqual({ runnable: [], notRunnable: [] })
})

test('a file says whether its tests may skip themselves', async () => {
  await writeFile(join(root, 'tests/e2e/desktop.test.ts'), '// may skip: no binary here\n')
  expect(['desktop', 'plain'].map((name) => maySkip(join(root, `tests/e2e/${name}.test.ts`)))).toEqual([true, false])
})

test('looks for programs in PATH', () => {
  expect([isInPath('sh'), isInPath('no-such-program-anywhere')]).toEqual([true, false])
})

test('every test file of the repository is in exactly one suite', () => {
  const repository = join(import.meta.dirname, '..', '..')
  const all = findTests(repository, { ...suite, paths: ['tests'] }, () => true).runnable
  const inSuites = suites.flatMap((one) => findTests(repository, one, () => true).runnable)
  expect(inSuites.sort()).toEqual([...all].sort())
})
