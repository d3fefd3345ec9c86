/** One of the four files takes the place of what was read, in one step; of anything else nothing is touched. */
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WORKSPACE_FILE_LIMIT } from '#contracts/workspace/workspace-file.ts'
import { readWorkspaceFile, writeWorkspaceFile } from '#workers/storage/folders/workspace-files.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'metona-files-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const at = (name: string): string => path.join(root, name)
const codeOf = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (error) {
    return (error as { code?: string }).code
  }
}

test('what was not there is made; a second save goes on from the hash of the first', () => {
  const first = writeWorkspaceFile(root, 'AGENTS.md', 'rules\n', null)
  expect([readFileSync(at('AGENTS.md'), 'utf8'), first]).toEqual(['rules\n', readWorkspaceFile(root, 'AGENTS.md')])
  expect(statSync(at('AGENTS.md')).mode & 0o777).toBe(0o644 & ~process.umask())
  writeWorkspaceFile(root, 'AGENTS.md', '用中文\n', first.hash)
  expect([readFileSync(at('AGENTS.md'), 'utf8'), readdirSync(root)]).toEqual(['用中文\n', ['AGENTS.md']])
})

test('the mode and the mark at the start stay', () => {
  writeFileSync(at('SOUL.md'), '\uFEFFold')
  chmodSync(at('SOUL.md'), 0o600)
  const { content, hash } = readWorkspaceFile(root, 'SOUL.md')
  writeWorkspaceFile(root, 'SOUL.md', `${content} new`, hash)
  expect([readFileSync(at('SOUL.md'), 'utf8'), statSync(at('SOUL.md')).mode & 0o777]).toEqual(['\uFEFFold new', 0o600])
})

test.each<[string, () => string | null]>([
  ['changed', () => (writeFileSync(at('USERS.md'), 'theirs'), readWorkspaceFile(root, 'SOUL.md').hash)],
  ['made meanwhile', () => (writeFileSync(at('USERS.md'), 'theirs'), null)],
  ['removed meanwhile', () => 'a'.repeat(64)],
])('a file that was %s is left alone, and comes along with the refusal', (_name, prepare) => {
  const basedOn = prepare()
  const before = readWorkspaceFile(root, 'USERS.md')
  let thrown: unknown
  try {
    writeWorkspaceFile(root, 'USERS.md', 'mine', basedOn)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toMatchObject({ code: 'FILE_CHANGED', params: { file: 'USERS.md' }, details: before })
  expect([readWorkspaceFile(root, 'USERS.md'), readdirSync(root).filter((name) => name.endsWith('.tmp'))]).toEqual([before, []])
})

test.each<[string, () => void]>([
  ['a link', () => (writeFileSync(at('elsewhere'), 'kept'), symlinkSync('elsewhere', at('MEMORY.md')))],
  ['a folder', () => mkdirSync(at('MEMORY.md'))],
  ['too large', () => writeFileSync(at('MEMORY.md'), Buffer.alloc(WORKSPACE_FILE_LIMIT + 1))],
])('%s is not written to', (_name, prepare) => {
  prepare()
  const names = readdirSync(root)
  expect(codeOf(() => writeWorkspaceFile(root, 'MEMORY.md', 'mine', null))).toBe('NOT_EDITABLE')
  expect([readdirSync(root), names.includes('elsewhere') ? readFileSync(at('elsewhere'), 'utf8') : 'kept']).toEqual([names, 'kept'])
})
