// needs: bash
/** The editor of the four files, where the disk takes less than the whole. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { tryOsLock } from '#workers/storage/lock/os-lock.ts'
import { openStorage, removeBase, type TestStorage } from './open-storage.ts'

let storage: TestStorage
beforeEach(async () => {
  storage = openStorage()
  await storage.open()
})
afterEach(async () => {
  await storage.close()
  removeBase(storage.base)
})

it('a text that does not fit leaves the file whole and nothing beside it', () => {
  const file = join(storage.folder, 'AGENTS.md')
  writeFileSync(file, 'rules')
  const before = readdirSync(storage.folder)
  const script = `
    process.on('SIGXFSZ', () => undefined)
    const { readWorkspaceFile, writeWorkspaceFile } = await import('#workers/storage/folders/workspace-files.ts')
    const root = ${JSON.stringify(storage.folder)}
    try {
      writeWorkspaceFile(root, 'AGENTS.md', 'x'.repeat(100000), readWorkspaceFile(root, 'AGENTS.md').hash)
      console.log('saved')
    } catch (error) {
      console.log(error.code)
    }`
  // A file may have 32 KiB there: the first write takes a part, the next one none.
  const limited = ['-c', 'ulimit -f 32; exec "$0" --input-type=module -e "$1"', process.execPath, script]
  expect(spawnSync('bash', limited, { encoding: 'utf8' }).stdout).toBe('EFBIG\n')
  expect([readFileSync(file, 'utf8'), readdirSync(storage.folder)]).toEqual(['rules', before])
})

it('MEMORY.md is saved when nobody else is writing it', async () => {
  const workspace = storage.folder
  const { hash } = await storage.service.readWorkspaceFile({ workspace, name: 'MEMORY.md' })
  mkdirSync(join(workspace, '.metona', 'memory'), { recursive: true })
  const other = tryOsLock(join(workspace, '.metona', 'memory', 'lock'))
  let saved = false
  const saving = storage.service.writeWorkspaceFile({ workspace, name: 'MEMORY.md', content: 'mine', basedOn: hash }).then(() => {
    saved = true
  })
  // The other three wait for nobody; by then the first would have been written.
  const agents = await storage.service.readWorkspaceFile({ workspace, name: 'AGENTS.md' })
  await storage.service.writeWorkspaceFile({ workspace, name: 'AGENTS.md', content: 'rules', basedOn: agents.hash })
  await storage.service.memoryFileRead({ workspace })
  expect([other.kind, saved]).toEqual(['held', false])
  if (other.kind === 'held') other.lock.release()
  await saving
  expect(readFileSync(join(workspace, 'MEMORY.md'), 'utf8')).toBe('mine')
})
