import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { newBase, openStorage, removeBase } from '../workers/storage/open-storage.ts'
import { sessionScript } from '../workers/storage/session-script.ts'
import { startProcess } from '../workers/storage/start-process.ts'

/** SQLite's layer for file systems that can neither lock nor share memory. */
const env = { SQLITE_USE_URI: '1', TEST_VFS: 'unix-dotfile' }

let base: string
beforeEach(() => {
  base = newBase()
})
afterEach(() => removeBase(base))

const appendThere = async (sessionId: string): Promise<Record<string, unknown>> => {
  const process = startProcess([base], { env })
  const opened = await process.next()
  process.tell(`append ${sessionId}`)
  expect(await process.next()).toMatchObject({ appended: sessionId })
  process.tell('end')
  expect(await process.ended).toBe(0)
  return opened
}
const sessions = async (): Promise<string[]> => {
  const storage = openStorage(base)
  await storage.open()
  const { sessions: rows } = await storage.service.listSessions({ workspace: storage.folder })
  expect((await storage.service.verify({ path: storage.folder })).differences).toEqual([])
  await storage.close()
  return rows.map((row) => row.sessionId).sort()
}

it('a workspace begun where there is no shared memory is written with a rollback journal, and that is said', async () => {
  expect(await appendThere('s_one')).toMatchObject({ opened: true, readOnly: false, banners: ['DATABASE_WITHOUT_WAL'] })
  expect(existsSync(join(base, 'work space 工作', '.metona', 'agent.db-wal'))).toBe(false)
  expect(await sessions()).toEqual(['s_one'])
})

it('a workspace carried there with its WAL is turned and goes on', async () => {
  const storage = openStorage(base)
  await storage.open()
  await storage.append(sessionScript({ sessionId: 's_one' }))
  await storage.close()
  expect(await appendThere('s_two')).toMatchObject({ opened: true, readOnly: false, banners: ['DATABASE_WITHOUT_WAL'] })
  expect(await sessions()).toEqual(['s_one', 's_two'])
})
