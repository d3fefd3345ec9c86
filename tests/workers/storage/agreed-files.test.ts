import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
