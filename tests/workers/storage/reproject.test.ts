import { afterEach, beforeEach, expect, it } from 'vitest'
import { openStorage, removeBase, type TestStorage } from './open-storage.ts'
import { sessionScript } from './session-script.ts'

let storage: TestStorage
beforeEach(async () => {
  storage = openStorage()
  await storage.open()
})
afterEach(async () => {
  await storage.close()
  removeBase(storage.base)
})

it('rows made by an older projection are made anew from the events on open', async () => {
  await storage.append(sessionScript({ sessionId: 's_one' }))
  const { database } = storage.workspaces.get(storage.folder)
  const found = await storage.service.searchMessages({ workspace: storage.folder, query: '分析', limit: 50 })
  database.exec(
    "UPDATE meta SET value = '0' WHERE key = 'projection_version'; UPDATE sessions SET title = 'as it was'; DELETE FROM usage; UPDATE messages SET content = 'x'; DELETE FROM messages_fts",
  )
  await storage.close()
  storage = storage.again()
  expect((await storage.open()).banners).toEqual([])
  expect((await storage.service.verify({ path: storage.folder })).differences).toEqual([])
  expect(await storage.service.searchMessages({ workspace: storage.folder, query: '分析', limit: 50 })).toEqual(found)
})
