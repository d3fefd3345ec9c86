import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { newBase, openStorage, removeBase } from './open-storage.ts'
import { sessionScript } from './session-script.ts'
import { startStorageThread, type StorageThread } from './storage-thread.ts'

let base: string
let folder: string
let thread: StorageThread
beforeEach(async () => {
  base = newBase()
  folder = join(base, 'work space 工作')
  mkdirSync(folder)
  thread = await startStorageThread(join(base, 'profile'), { CANARY_API_KEY: 'canary-0123456789' })
})
afterEach(async () => {
  await thread.worker.terminate()
  removeBase(base)
})

const open = (target = thread) => target.connection.client.openWorkspace({ path: folder, trust: 'once', mode: 'write', waitMs: 0 })

it('runs in a thread of its own on a SQLite without the WAL-reset fault', async () => {
  const health = await thread.connection.client.health({})
  expect(health.threadId).toBe(thread.threadId)
  expect(health.threadId).not.toBe(threadId)
  expect(health.sqlite).toMatch(/^3\.(5[1-9]|[6-9]\d)\./)
})

it('answers over the wire what it was given, with keys of the environment replaced', async () => {
  await open()
  const events = sessionScript({ sessionId: 's_one' }).map((event) =>
    event.event === 'user_message' ? { ...event, content: 'my key is canary-0123456789' } : event,
  )
  expect(await thread.connection.client.appendEvents({ workspace: folder, events })).toEqual({ lastSeq: events.length - 1 })
  const read = await thread.connection.client.readEvents({ workspace: folder, sessionId: 's_one', fromSeq: 1, limit: 1 })
  expect(read.events[0]).toMatchObject({ content: 'my key is [redacted CANARY_API_KEY]' })
})

it('keeps codes of errors, and secrets out of their texts', async () => {
  await expect(thread.connection.client.listSessions({ workspace: '/canary-0123456789' })).rejects.toMatchObject({
    code: 'NOT_OPEN',
    message: '/[redacted CANARY_API_KEY] is not open',
    params: { path: '/[redacted CANARY_API_KEY]' },
  })
})

it('a terminated worker leaves neither a lock nor a loss behind', async () => {
  await open()
  const events = sessionScript({ sessionId: 's_one' })
  await thread.connection.client.appendEvents({ workspace: folder, events })
  await thread.worker.terminate()
  thread = await startStorageThread(join(base, 'profile'))
  expect((await open()).readOnly).toBe(false)
  expect((await thread.connection.client.readEvents({ workspace: folder, sessionId: 's_one', fromSeq: 0, limit: 5000 })).events).toEqual(
    events,
  )
  expect((await thread.connection.client.verify({ path: folder })).differences).toEqual([])
})

it('a stop that is asked for writes everything and lets the folder go', async () => {
  await open()
  const pending = thread.connection.client.appendEvents({ workspace: folder, events: sessionScript({ sessionId: 's_one' }) })
  await pending
  await thread.stop()
  const after = openStorage(base)
  expect((await after.open()).banners).toEqual([])
  await after.close()
  thread = await startStorageThread(join(base, 'profile'))
})

it('answers pings while it makes a database of 400 sessions from logs', async () => {
  await open()
  for (let index = 0; index < 400; index += 100) {
    await Promise.all(
      Array.from({ length: 100 }, (_, offset) =>
        thread.connection.client.appendEvents({
          workspace: folder,
          events: sessionScript({ sessionId: `s_${index + offset}`, turns: 1, toolsPerTurn: 0 }),
        }),
      ),
    )
  }
  const rebuilt = thread.connection.client.rebuild({ path: folder })
  let pongs = 0
  let running = true
  void rebuilt.finally(() => (running = false)).catch(() => undefined)
  while (running) {
    await thread.ask({ type: 'ping', id: pongs++ })
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  expect((await rebuilt).differences).toEqual([])
  expect(pongs).toBeGreaterThan(5)
})
