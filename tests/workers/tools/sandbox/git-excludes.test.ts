/** The list that a command sees is the folder's own, whoever exchanges it while it is read. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { proof } from '#tests/helpers/proof.ts'
import { excludesForGit } from '#workers/tools/sandbox/git-excludes.ts'
import { findMaskedSecrets } from '#workers/tools/sandbox/masked-secrets.ts'
import { findProtectedEntries } from '#workers/tools/sandbox/protected-entries.ts'

const CANARY = 'text of another file\n'
let base: string
let root: string
let profile: string
let list: string
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'metona-excludes-')))
  ;[root, profile] = [join(base, 'ws'), join(base, 'profile')]
  list = join(root, '.git', 'info', 'exclude')
  await mkdir(join(root, '.git', 'info'), { recursive: true })
  await writeFile(join(base, 'secret'), CANARY)
  await writeFile(list, '*.own\n')
})
afterEach(() => rm(base, { recursive: true, force: true }))

const seen = (): ReturnType<typeof excludesForGit> => excludesForGit(root, { files: [join(root, '.env')], folders: [] }, profile)
const kept = async (): Promise<string[]> => {
  const place = join(profile, 'sandbox-excludes')
  return Promise.all((await readdir(place).catch(() => [])).map((name) => readFile(join(place, name), 'latin1')))
}

describe.skipIf(process.platform !== 'linux')('git’s list of what it passes over', () => {
  test('bytes stay as they are, whatever they mean', async () => {
    await writeFile(list, Buffer.from([0xff, 0xfe, 0x0a, 0xe9]))
    const found = await seen()
    expect(await readFile(found?.source ?? '')).toEqual(Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a, 0xe9]), Buffer.from('\n/.env\n')]))
  })

  test('commands that start at once get it, each', async () => {
    for (let round = 0; round < proof(40, 10); round++) {
      await rm(profile, { recursive: true, force: true })
      const all = await Promise.all(Array.from({ length: 8 }, seen))
      expect(new Set(all.map((found) => found?.source)).size).toBe(1)
      expect(await kept()).toEqual(['*.own\n/.env\n'])
    }
  })

  test.each([
    ['a link', () => symlink(join(base, 'secret'), list)],
    ['a pipe', () => Promise.resolve(execFileSync('mkfifo', [list]))],
    ['a folder', () => mkdir(list)],
    ['longer than any list', () => writeFile(list, Buffer.alloc(300_000))],
    [
      'behind a link',
      async () => {
        await rm(join(root, '.git', 'info'), { recursive: true })
        await mkdir(join(base, 'info'))
        await writeFile(join(base, 'info', 'exclude'), CANARY)
        await symlink(join(base, 'info'), join(root, '.git', 'info'))
      },
    ],
  ])('that is %s is none', { timeout: 10_000 }, async (_name, make) => {
    await rm(list)
    await make()
    expect(await seen()).toBeUndefined()
    expect(await kept()).toEqual([])
  })

  test('exchanged without pause it is the folder’s own or none', { timeout: 60_000 }, async () => {
    const script = `
      const fs = require('node:fs')
      const [list, secret] = process.argv.slice(1)
      process.stdout.write('on')
      for (;;) {
        fs.symlinkSync(secret, list + '.a'); fs.renameSync(list + '.a', list)
        fs.writeFileSync(list + '.b', '*.own\\n'); fs.renameSync(list + '.b', list)
      }`
    const flipper = spawn(process.execPath, ['-e', script, list, join(base, 'secret')], { stdio: ['ignore', 'pipe', 'inherit'] })
    await new Promise((settle) => flipper.stdout.once('data', settle))
    try {
      let own = 0
      for (let round = 0; round < proof(20_000, 4000); round++) if ((await seen()) !== undefined) own++
      // Otherwise nothing was exchanged while it was read.
      expect(own).toBeGreaterThan(0)
      expect(await kept()).toEqual(['*.own\n/.env\n'])
    } finally {
      flipper.kill('SIGKILL')
    }
  })
})

test.skipIf(process.platform === 'win32')('a pipe where a file is looked at keeps no command waiting', { timeout: 10_000 }, async () => {
  await writeFile(join(root, '.env'), 'A=1')
  await mkdir(join(root, 'a'))
  for (const name of ['.git/index', '.git/commondir', 'a/.npmrc']) execFileSync('mkfifo', [join(root, name)])
  expect(await findMaskedSecrets(root, [])).toEqual({ files: [join(root, '.env')], folders: [] })
  const entries = await findProtectedEntries(root)
  expect(entries.pinned).toEqual([join(root, '.git'), join(root, '.git', 'info')])
  // A repository elsewhere in the folder, as a submodule has it.
  await mkdir(join(root, 'inner'))
  execFileSync('mkfifo', [join(root, 'inner', 'commondir')])
  await rm(join(root, '.git'), { recursive: true })
  await writeFile(join(root, '.git'), 'gitdir: inner\n')
  expect(await seen()).toBeUndefined()
})
