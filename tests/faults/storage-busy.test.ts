import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../helpers/eventually.ts'
import { proof } from '../helpers/proof.ts'
import { newBase, removeBase } from '../workers/storage/open-storage.ts'
import { sessionScript } from '../workers/storage/session-script.ts'
import { startStorageThread, type StorageThread } from '../workers/storage/storage-thread.ts'

const HOLDS = proof([3, 30], [3])

let base: string
let folder: string
let thread: StorageThread
beforeEach(async () => {
  base = newBase()
  folder = join(base, 'work')
  mkdirSync(folder)
  thread = await startStorageThread(join(base, 'profile'))
  await thread.connection.client.openWorkspace({ path: folder, trust: 'once', mode: 'write', waitMs: 0 })
})
afterEach(async () => {
  await thread.stop()
  removeBase(base)
})

/** Another program with the database's write lock, for so many seconds. */
async function holdLock(seconds: number): Promise<{ released: Promise<unknown> }> {
  const source = `
    import Database from 'better-sqlite3'
    const database = new Database(${JSON.stringify(join(folder, '.metona', 'agent.db'))})
    database.exec('BEGIN IMMEDIATE')
    process.stdout.write('held')
    setTimeout(() => { database.exec('ROLLBACK'); database.close() }, ${seconds * 1000})
  `
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return { released: new Promise((resolve) => child.once('close', resolve)) }
}

/** The log with one more event at its end. */
function longerLog(path: string): string {
  const text = readFileSync(path, 'utf8')
  const next = sessionScript({ sessionId: 's_one', turns: 3 })[text.split('\n').length - 1]
  return `${text}${JSON.stringify(next)}\n`
}

const codes = async (): Promise<string[]> => (await thread.connection.client.banners({})).banners.map((banner) => banner.code)

describe.each(HOLDS)('a database that another program holds for %i s', (seconds) => {
  it('delays what is written, says so, answers meanwhile, and loses nothing', { timeout: seconds * 1000 + 120_000 }, async () => {
    const { client } = thread.connection
    const events = sessionScript({ sessionId: 's_one' })
    await client.appendEvents({ workspace: folder, events: events.slice(0, 5) })
    const heldAt = performance.now()
    const { released } = await holdLock(seconds)
    let free = false
    void released.then(() => (free = true))
    const appends = [
      client.appendEvents({ workspace: folder, events: events.slice(5, 9) }),
      client.appendEvents({ workspace: folder, events: sessionScript({ sessionId: 's_two' }) }),
    ]
    let settled = 0
    for (const append of appends) void append.then(() => settled++)
    await eventually('the banner', async () => (await codes()).includes('DATABASE_BUSY'))
    // Reading goes on, and the worker answers: it does not sit in SQLite's own waiting.
    let slowest = 0
    let asked = 0
    while (!free) {
      const start = performance.now()
      await thread.ask({ type: 'ping', id: asked++ })
      expect((await client.listSessions({ workspace: folder })).sessions.length).toBeGreaterThan(0)
      slowest = Math.max(slowest, performance.now() - start)
      if (performance.now() - heldAt < seconds * 900) expect(settled).toBe(0)
    }
    expect(asked).toBeGreaterThan(3)
    expect(slowest).toBeLessThan(2000)
    expect(await Promise.all(appends)).toEqual([{ lastSeq: 8 }, { lastSeq: sessionScript({ sessionId: 's_two' }).length - 1 }])
    expect(await codes()).toEqual([])
    await client.appendEvents({ workspace: folder, events: events.slice(9) })
    expect((await client.verify({ path: folder })).differences).toEqual([])
  })
})

it('a database that another program holds is waited for when the workspace is opened', async () => {
  const { client } = thread.connection
  await client.appendEvents({ workspace: folder, events: sessionScript({ sessionId: 's_one' }) })
  await client.closeWorkspace({ workspace: folder })
  // Something must be written on opening, so that the lock matters.
  for (const name of readdirSync(join(folder, 'logs')))
    if (name.startsWith('session_')) writeFileSync(join(folder, 'logs', name), longerLog(join(folder, 'logs', name)))
  await holdLock(2)
  const opened = await client.openWorkspace({ path: folder, trust: 'once', mode: 'write', waitMs: 0 })
  expect(opened).toMatchObject({ readOnly: false, banners: [{ code: 'DATABASE_COMPLETED' }] })
})

it('a caller that gave up leaves nothing behind, and may send the same again', async () => {
  const { client } = thread.connection
  const events = sessionScript({ sessionId: 's_one', turns: 1 })
  const { released } = await holdLock(2)
  await expect(client.appendEvents({ workspace: folder, events }, { deadlineMs: 300 })).rejects.toMatchObject({ code: 'CALL_TIMEOUT' })
  expect(await client.appendEvents({ workspace: folder, events })).toEqual({ lastSeq: events.length - 1 })
  await released
  expect((await client.verify({ path: folder })).differences).toEqual([])
})

it('a queue whose only write was given up takes the next one', async () => {
  const { client } = thread.connection
  const events = sessionScript({ sessionId: 's_one', turns: 1 })
  const { released } = await holdLock(3)
  await expect(client.appendEvents({ workspace: folder, events }, { deadlineMs: 300 })).rejects.toMatchObject({ code: 'CALL_TIMEOUT' })
  await eventually('an empty queue', async () => (await client.health({})).queued === 0)
  await released
  expect(await client.appendEvents({ workspace: folder, events }, { deadlineMs: 30_000 })).toEqual({ lastSeq: events.length - 1 })
  expect(await codes()).toEqual([])
})

it(
  'memory is bounded: beyond 64 MiB of waiting events callers are refused, and what was taken is written',
  { timeout: 120_000 },
  async () => {
    const { client } = thread.connection
    const { released } = await holdLock(5)
    const big = 'x'.repeat(4 * 1024 * 1024)
    const outcomes = await Promise.allSettled(
      Array.from({ length: 24 }, (_, index) => {
        const [start, message] = sessionScript({ sessionId: `s_big${index}`, turns: 1 })
        if (start === undefined || message?.event !== 'user_message') throw new Error('script')
        return client.appendEvents({ workspace: folder, events: [start, { ...message, content: big }] })
      }),
    )
    await released
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(refused.length).toBeGreaterThan(4)
    expect(refused.length).toBeLessThan(12)
    for (const outcome of refused) expect(outcome.reason).toMatchObject({ code: 'STORAGE_BACKLOG', retryable: true })
    expect((await client.listSessions({ workspace: folder })).sessions).toHaveLength(24 - refused.length)
  },
)
