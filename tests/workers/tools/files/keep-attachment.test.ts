import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keepAttachment } from '#workers/tools/files/keep-attachment.ts'

let workspace: string
beforeEach(async () => {
  workspace = await realpath(await mkdtemp(path.join(tmpdir(), 'attach-')))
})
afterEach(() => rm(workspace, { recursive: true, force: true }))

test('is written below .metona/attachments; a taken name gets a number and nothing is overwritten', async () => {
  expect(await keepAttachment(workspace, 'notes.txt', Buffer.from('one'))).toBe('.metona/attachments/notes.txt')
  expect(await keepAttachment(workspace, 'notes.txt', Buffer.from('two'))).toBe('.metona/attachments/notes-2.txt')
  const read = (name: string): Promise<string> => readFile(path.join(workspace, '.metona/attachments', name), 'utf8')
  expect([await read('notes.txt'), await read('notes-2.txt')]).toEqual(['one', 'two'])
})

test('a name is only ever a name', async () => {
  const kept = []
  for (const name of ['../../etc/passwd', 'C:\\Windows\\x.ini', '.bashrc', '', '..', 'a\u0000b\u202Etxt.exe', '报告 1.csv', 'con'])
    kept.push(await keepAttachment(workspace, name, Buffer.from('x')))
  expect(kept.map((name) => name.replace('.metona/attachments/', ''))).toEqual([
    'passwd',
    'x.ini',
    'bashrc',
    'file',
    'file-2',
    'a_b_txt.exe',
    '报告 1.csv',
    'file-3',
  ])
  expect(await readdir(workspace)).toEqual(['.metona'])
})

test('a link in place of the folder is refused, and nothing is written where it leads', async () => {
  const elsewhere = await mkdtemp(path.join(tmpdir(), 'elsewhere-'))
  try {
    await mkdir(path.join(workspace, '.metona'))
    await symlink(elsewhere, path.join(workspace, '.metona/attachments'))
    await expect(keepAttachment(workspace, 'x', Buffer.from('x'))).rejects.toMatchObject({ code: 'ATTACHMENT_REFUSED' })
    expect(await readdir(elsewhere)).toEqual([])
  } finally {
    await rm(elsewhere, { recursive: true, force: true })
  }
})
