import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fileSystemType, specialFolder } from '#workers/storage/folders/special-folders.ts'
import { openStorage, removeBase, type TestStorage } from './open-storage.ts'

let storage: TestStorage
beforeEach(async () => {
  storage = openStorage()
  await storage.service.trustAdd({ path: storage.folder })
  await storage.close()
  storage = storage.again()
})
afterEach(async () => {
  await storage.close()
  removeBase(storage.base)
})

describe('the profile', () => {
  it('is for its owner alone', () => {
    expect(statSync(storage.profile).mode & 0o777).toBe(0o700)
  })

  it('keeps the day trust was given', async () => {
    const [first] = (await storage.service.trustList({})).entries
    expect(await storage.service.trustAdd({ path: storage.folder })).toEqual(first)
  })

  it('removes what killed programs left for a day, and nothing younger', async () => {
    const scratch = join(storage.profile, 'tmp')
    for (const name of ['read-old', 'read-new']) mkdirSync(join(scratch, name), { recursive: true })
    utimesSync(join(scratch, 'read-old'), 1000, 1000)
    await storage.service.trustList({})
    expect(readdirSync(scratch)).toEqual(['read-new'])
  })

  it('forgets what the page kept half a year ago, once per run and not with each draft', async () => {
    let now = '2026-01-01T00:00:00.000Z'
    await storage.close()
    storage = storage.again({ now: () => now })
    const write = (key: string) => storage.service.pageStateWrite({ key, value: key })
    const keys = async () => (await storage.service.pageStateRead({ prefix: 'draft:' })).entries.map(({ key }) => key)
    await write('draft:old')
    now = '2026-08-01T00:00:00.000Z'
    await write('draft:new')
    expect(await keys()).toEqual(['draft:new', 'draft:old'])
    await storage.close()
    storage = storage.again()
    await write('draft:newer')
    expect(await keys()).toEqual(['draft:new', 'draft:newer'])
  })

  it.each([
    ['full of garbage', () => writeFileSync(join(storage.profile, 'profile.db'), Buffer.alloc(20_000, 'garbage!'))],
    [
      'empty',
      () => {
        writeFileSync(join(storage.profile, 'profile.db'), '')
        utimesSync(join(storage.profile, 'profile.db'), 1000, 1000)
      },
    ],
  ])('%s is begun anew with a word, and trusts nothing', async (_what, damage) => {
    damage()
    expect((await storage.service.trustList({})).entries).toEqual([])
    expect((await storage.service.banners({})).banners).toMatchObject([{ code: 'PROFILE_DAMAGED', level: 'error' }])
    await expect(storage.service.openWorkspace({ path: storage.folder, trust: 'stored', mode: 'write', waitMs: 0 })).rejects.toMatchObject({
      code: 'UNTRUSTED',
    })
    expect(readdirSync(storage.folder)).toEqual([])
  })
})

describe('a network folder', () => {
  const mounts = [
    '22 1 0:21 / / rw,relatime - ext4 /dev/sda1 rw',
    '30 22 0:40 / /mnt/share rw - nfs4 server:/export rw',
    '31 22 0:41 / /mnt/with\\040space rw shared:1 - cifs //server/share rw',
    '32 30 0:42 / /mnt/share/local rw - tmpfs tmpfs rw',
  ].join('\n')

  it.each([
    ['/mnt/share/project', 'nfs4'],
    ['/mnt/shared', 'ext4'],
    ['/mnt/share', 'nfs4'],
    ['/mnt/share/local/x', 'tmpfs'],
    ['/mnt/with space/x', 'cifs'],
    ['/home/me', 'ext4'],
  ])('%s lies on %s', (path, type) => {
    expect(fileSystemType(path, mounts)).toBe(type)
  })

  it('is none of the usual ones', () => {
    expect(specialFolder(storage.folder)).toBeUndefined()
    expect(specialFolder('/')).toBe('root')
  })
})

describe('the sample workspace', () => {
  it('is made once, trusted, and left as it is afterwards', async () => {
    const home = process.env.HOME
    process.env.HOME = storage.base
    try {
      const { path } = await storage.service.createSample({ language: 'zh' })
      expect(path).toBe(join(storage.base, 'MetonaWorkspaces', 'metona-示例'))
      expect(readdirSync(path).sort()).toEqual(['data.csv', 'notes.md'])
      writeFileSync(join(path, 'data.csv'), 'mine\n')
      expect(await storage.service.createSample({ language: 'zh' })).toEqual({ path })
      expect(statSync(join(path, 'data.csv')).size).toBe(5)
      expect((await storage.service.openWorkspace({ path, trust: 'stored', mode: 'write', waitMs: 0 })).readOnly).toBe(false)
    } finally {
      process.env.HOME = home
    }
  })
})
