import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import DatabaseConstructor from 'better-sqlite3'
import type * as diffLibrary from 'diff'
import { createPatch } from 'diff'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openStorage, removeBase, type TestStorage } from './open-storage.ts'

vi.mock('diff', async (original) => {
  const diff = await original<typeof diffLibrary>()
  return { ...diff, createPatch: vi.fn<typeof diff.createPatch>(diff.createPatch) }
})

let storage: TestStorage
beforeEach(async () => {
  storage = openStorage()
  await storage.service.trustAdd({ path: storage.folder })
})
afterEach(async () => {
  await storage.close()
  removeBase(storage.base)
})

test('opening a folder says which files changed and leaves what differs to whoever asks', async () => {
  writeFileSync(join(storage.folder, 'AGENTS.md'), 'Changed.')
  const { banners } = await storage.service.openWorkspace({ path: storage.folder, trust: 'stored', mode: 'write', waitMs: 0 })
  expect([banners.map(({ code }) => code), vi.mocked(createPatch).mock.calls.length]).toEqual([['FILES_CHANGED'], 0])
  const { files } = await storage.service.changedFiles({ workspace: storage.folder })
  expect([files.map(({ name }) => name), vi.mocked(createPatch).mock.calls.length]).toEqual([['AGENTS.md'], 1])
})

test('an approved change of an agreed text is agreed to; one on top of what others wrote is not', async () => {
  const file = join(storage.folder, 'AGENTS.md')
  const write = (before: string, after: string) => {
    writeFileSync(file, after)
    return storage.service.agreeToWritten({
      workspace: storage.folder,
      before: { name: 'AGENTS.md', text: before, changedAt: 1 },
      after,
    })
  }
  const changed = async () => (await storage.service.changedFiles({ workspace: storage.folder })).files.length
  writeFileSync(file, 'Agreed.')
  await storage.open()
  await write('Agreed.', 'Agreed. Approved.')
  expect(await changed()).toBe(0)
  await write('Agreed. Foreign.', 'Agreed. Foreign. Approved.')
  expect(await changed()).toBe(1)
})

test('opening says which text of each file of the root is agreed to, whatever is there now', async () => {
  const opened = async () => (await storage.service.openWorkspace({ path: storage.folder, trust: 'once', mode: 'write', waitMs: 0 })).agreed
  const file = join(storage.folder, 'AGENTS.md')
  writeFileSync(file, 'Agreed.')
  await opened()
  writeFileSync(file, 'Foreign.')
  const agreed = await opened()
  expect(agreed.map(({ name }) => name).toSorted()).toEqual(['AGENTS.md', 'MEMORY.md', 'SOUL.md', 'USERS.md'])
  const hash = createHash('sha256').update('Agreed.').digest('hex')
  expect(agreed.find(({ name }) => name === 'AGENTS.md')).toEqual({ name: 'AGENTS.md', hash })
})

test('what another connection writes to the profile is noticed before the next turn, what this one writes is not', async () => {
  const version = async () => (await storage.service.configValues({})).profileVersion
  const before = await version()
  await storage.service.trustAdd({ path: storage.folder })
  expect(await version()).toBe(before)
  const other = new DatabaseConstructor(join(storage.profile, 'profile.db'))
  try {
    other.prepare('DELETE FROM trust').run()
  } finally {
    other.close()
  }
  expect(await version()).not.toBe(before)
})
