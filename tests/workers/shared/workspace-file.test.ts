import { execFileSync } from 'node:child_process'
import { link, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readWorkspaceFile } from '#workers/shared/workspace-file.ts'

let base: string
let workspace: string

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'metona-files-'))
  workspace = join(base, 'work space 工作')
  await mkdir(join(workspace, 'docs'), { recursive: true })
  await writeFile(join(base, 'secret.md'), 'secret outside')
  await writeFile(join(workspace, 'docs/rules.md'), 'inside')
})
afterAll(() => rm(base, { recursive: true, force: true }))

describe('readWorkspaceFile', () => {
  test('reads a file of the workspace and a link to one', async () => {
    await symlink('docs/rules.md', join(workspace, 'AGENTS.md'))
    expect(await readWorkspaceFile(workspace, 'AGENTS.md')).toMatchObject({ kind: 'text', text: 'inside' })
  })

  test('does not follow a link out of the workspace', async () => {
    await symlink('../secret.md', join(workspace, 'SOUL.md'))
    expect(await readWorkspaceFile(workspace, 'SOUL.md')).toEqual({ kind: 'refused', reason: 'outside the workspace' })
  })

  test('does not follow a linked folder out of the workspace', async () => {
    await symlink('..', join(workspace, 'up'))
    expect(await readWorkspaceFile(workspace, 'up/secret.md')).toEqual({ kind: 'refused', reason: 'outside the workspace' })
  })

  test('says that a file is absent', async () => {
    expect(await readWorkspaceFile(workspace, 'USERS.md')).toEqual({ kind: 'absent' })
  })

  test('does not hang on a named pipe', async () => {
    execFileSync('mkfifo', [join(workspace, 'pipe.md')])
    expect(await readWorkspaceFile(workspace, 'pipe.md')).toEqual({ kind: 'refused', reason: 'not a regular file' })
  })

  test('refuses a folder', async () => {
    expect(await readWorkspaceFile(workspace, 'docs')).toEqual({ kind: 'refused', reason: 'not a regular file' })
  })

  test.each([
    ['a byte order mark', Buffer.from([0xef, 0xbb, 0xbf, 0x61])],
    ['UTF-16', Buffer.from([0xff, 0xfe, 0x61, 0x00])],
    ['plain ASCII', Buffer.from('a')],
  ])('decodes %s', async (_name, bytes) => {
    await writeFile(join(workspace, 'encoded.md'), bytes)
    expect(await readWorkspaceFile(workspace, 'encoded.md')).toMatchObject({ text: 'a' })
  })

  test('decodes GBK, the Chinese system encoding', async () => {
    await writeFile(join(workspace, 'gbk.md'), Buffer.from([0xb9, 0xe6, 0xd4, 0xf2]))
    expect(await readWorkspaceFile(workspace, 'gbk.md')).toMatchObject({ text: '规则' })
  })

  test('reads no more than 256 KiB and never half a character', async () => {
    await writeFile(join(workspace, 'large.md'), `a${'汉'.repeat(200_000)}`)
    const reading = await readWorkspaceFile(workspace, 'large.md')
    expect(
      reading.kind === 'text' && {
        truncated: reading.truncated,
        broken: reading.text.includes('\ufffd'),
        small: reading.text.length < 90_000,
      },
    ).toEqual({ truncated: true, broken: false, small: true })
  })

  test('control: the same link read by its path alone would give the secret away', async () => {
    const { readFile } = await import('node:fs/promises')
    await link(join(base, 'secret.md'), join(base, 'other.md'))
    expect(await readFile(join(workspace, 'SOUL.md'), 'utf8')).toBe('secret outside')
  })
})
