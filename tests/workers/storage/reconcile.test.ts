import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { logLines, logName, must, openStorage, removeBase, type TestStorage } from './open-storage.ts'
import { sessionScript } from './session-script.ts'

const events = sessionScript({ sessionId: 's_one' })
const others = sessionScript({ sessionId: 's_two', seed: 2, startAt: Date.UTC(2026, 5, 26) })

let storage: TestStorage
let log: string
beforeEach(async () => {
  storage = openStorage()
  await storage.open()
  await storage.append(events)
  await storage.append(others)
  await storage.close()
  storage = storage.again()
  log = join(storage.folder, 'logs', must(logName(storage.folder, 's_one')))
})
afterEach(async () => {
  await storage.close()
  removeBase(storage.base)
})

const stored = async (sessionId: string): Promise<unknown[]> =>
  (await storage.service.readEvents({ workspace: storage.folder, sessionId, fromSeq: 0, limit: 5000 })).events
const codes = async (): Promise<string[]> => (await storage.open()).banners.map((banner) => banner.code)
const isWhole = async (): Promise<void> => {
  expect(await stored('s_one')).toEqual(events)
  expect(await stored('s_two')).toEqual(others)
  expect(logLines(storage.folder, 's_one').map((line) => JSON.parse(line) as unknown)).toEqual(events)
  expect(logLines(storage.folder, 's_two').map((line) => JSON.parse(line) as unknown)).toEqual(others)
  expect((await storage.service.verify({ path: storage.folder })).differences).toEqual([])
}

describe('on open', () => {
  it('nothing is said when nothing is wrong', async () => {
    expect(await codes()).toEqual([])
    await isWhole()
  })

  it('rows past the log are appended to it', async () => {
    const lines = readFileSync(log, 'utf8').split('\n')
    writeFileSync(
      log,
      lines
        .slice(0, 5)
        .map((line) => `${line}\n`)
        .join(''),
    )
    expect(await codes()).toEqual(['LOG_COMPLETED'])
    await isWhole()
  })

  it('a log that is gone is written again', async () => {
    rmSync(log)
    expect(await codes()).toEqual(['LOG_COMPLETED'])
    await isWhole()
  })

  it('log lines past the database are inserted', async () => {
    const fresh = sessionScript({ sessionId: 's_one', turns: 3 })
    appendFileSync(
      log,
      fresh
        .slice(events.length)
        .map((event) => `${JSON.stringify(event)}\n`)
        .join(''),
    )
    expect(await codes()).toEqual(['DATABASE_COMPLETED'])
    expect(await stored('s_one')).toEqual(fresh)
    expect((await storage.service.verify({ path: storage.folder })).differences).toEqual([])
  })

  it('a torn last line is cut off and completed from the database', async () => {
    truncateSync(log, readFileSync(log).length - 17)
    expect(await codes()).toEqual(['LOG_REPAIRED'])
    await isWhole()
  })

  it('a half line behind the last whole one goes', async () => {
    appendFileSync(log, '{"seq":99,"ts":"2026')
    expect(await codes()).toEqual(['LOG_REPAIRED'])
    await isWhole()
  })

  it('an end of zero bytes, as a power cut leaves it, goes', async () => {
    appendFileSync(log, Buffer.alloc(4096))
    expect(await codes()).toEqual(['LOG_REPAIRED'])
    await isWhole()
  })

  it('all logs together make a database where there is none', async () => {
    rmSync(join(storage.folder, '.metona'), { recursive: true })
    expect(await codes()).toEqual(['DATABASE_MISSING'])
    await isWhole()
  })

  it('an unreadable line in the middle costs that line alone, and is named', async () => {
    rmSync(join(storage.folder, '.metona'), { recursive: true })
    const lines = readFileSync(log, 'utf8').split('\n')
    lines[3] = must(lines[3]).slice(0, 40)
    writeFileSync(log, lines.join('\n'))
    const { banners } = await storage.open()
    expect(banners.map((banner) => banner.code).sort()).toEqual(['DATABASE_MISSING', 'LOG_DAMAGED'])
    expect(banners.find((banner) => banner.code === 'LOG_DAMAGED')?.message).toContain('s_one/3')
    expect(await stored('s_one')).toEqual(events.filter((event) => event.seq !== 3))
    expect((await storage.service.verify({ path: storage.folder })).differences).toMatchObject([
      { kind: 'gap', sessionId: 's_one', seq: 4 },
    ])
    const kept = join(storage.folder, '.metona', 'quarantine', 'files')
    expect(readFileSync(join(kept, must(readdirSync(kept)[0])), 'utf8')).toBe(lines.join('\n'))
  })

  it('holes in what was not synced are filled from the database', async () => {
    const synced = readFileSync(log).length
    const crashed = storage.again()
    await crashed.open()
    await crashed.append(sessionScript({ sessionId: 's_one', turns: 3 }).slice(events.length))
    // Copied while open: as after a crash, with no note of a clean close.
    const copy = openStorage()
    cpSync(storage.folder, copy.folder, { recursive: true })
    await crashed.close()
    const copied = join(copy.folder, 'logs', must(logName(copy.folder, 's_one')))
    const bytes = readFileSync(copied)
    bytes.fill(0, synced + 300, synced + 1000)
    writeFileSync(copied, bytes)
    const { banners } = await copy.open()
    expect(banners.map((banner) => banner.code)).toEqual(['LOG_REPAIRED'])
    expect(logLines(copy.folder, 's_one').map((line) => JSON.parse(line) as unknown)).toEqual(
      sessionScript({ sessionId: 's_one', turns: 3 }),
    )
    expect((await copy.service.verify({ path: copy.folder })).differences).toEqual([])
    await copy.close()
    removeBase(copy.base)
  })

  it('an event of a newer version is kept as it is and passed over', async () => {
    const line = `{"seq":${events.length},"ts":"2026-07-01T00:00:00.000Z","event":"hologram","sessionId":"s_one","depth":3,"eventId":"e_new"}`
    appendFileSync(log, `${line}\n`)
    expect(await codes()).toEqual(['DATABASE_COMPLETED'])
    expect(await stored('s_one')).toEqual(events)
    rmSync(join(storage.folder, '.metona'), { recursive: true })
    await storage.close()
    storage = storage.again()
    await storage.open()
    expect(logLines(storage.folder, 's_one').at(-1)).toBe(line)
    expect((await storage.service.verify({ path: storage.folder })).differences).toEqual([])
  })

  it('a log that became a link is put aside and written again', async () => {
    const copy = join(storage.base, 'elsewhere.jsonl')
    writeFileSync(copy, 'precious')
    rmSync(log)
    symlinkSync(copy, log)
    expect(await codes()).toEqual(['LOG_UNSAFE'])
    expect(readFileSync(copy, 'utf8')).toBe('precious')
    await isWhole()
  })
})

describe('while the workspace is open', () => {
  it('a log that somebody deletes is written again', async () => {
    await storage.open()
    const more = sessionScript({ sessionId: 's_one', turns: 3 })
    await storage.append(more.slice(events.length, events.length + 2))
    rmSync(log)
    await storage.append(more.slice(events.length + 2))
    await storage.close()
    storage = storage.again()
    await storage.open()
    expect(logLines(storage.folder, 's_one').map((line) => JSON.parse(line) as unknown)).toEqual(more)
    expect((await storage.service.verify({ path: storage.folder })).differences).toEqual([])
  })

  it('the database commits although the log cannot be written, and the log follows later', async () => {
    await storage.open()
    await storage.service.closeWorkspace({ workspace: storage.folder })
    rmSync(join(storage.folder, 'logs'), { recursive: true })
    writeFileSync(join(storage.folder, 'logs-elsewhere'), '')
    await storage.open()
    rmSync(join(storage.folder, 'logs'), { recursive: true })
    const late = sessionScript({ sessionId: 's_late', turns: 1 })
    await storage.append(late)
    expect((await storage.service.banners({})).banners.map((banner) => banner.code)).toContain('LOG_BEHIND')
    mkdirSync(join(storage.folder, 'logs'))
    await storage.service.syncLog({ workspace: storage.folder, sessionId: 's_late' })
    expect(logLines(storage.folder, 's_late').map((line) => JSON.parse(line) as unknown)).toEqual(late)
    expect((await storage.service.banners({})).banners.map((banner) => banner.code)).not.toContain('LOG_BEHIND')
  })
})

describe('a deleted session', () => {
  it('is gone from list, search, rows and logs, and its log lies in the trash', async () => {
    await storage.open()
    await storage.service.writeTrace({ workspace: storage.folder, name: 'trace_s_one_1_1.json', json: '{}' })
    await storage.service.deleteSession({ workspace: storage.folder, sessionId: 's_one' })
    expect((await storage.service.listSessions({ workspace: storage.folder })).sessions.map((session) => session.sessionId)).toEqual([
      's_two',
    ])
    expect(existsSync(log)).toBe(false)
    expect(readdirSync(join(storage.folder, '.metona', 'trash'))).toEqual([logName(storage.folder, 's_one') ?? log.split('/').at(-1)])
    expect(readdirSync(join(storage.folder, 'traces'))).toEqual(['.gitignore'])
    const { database } = storage.workspaces.get(storage.folder)
    for (const table of ['session_events', 'messages', 'audit_logs', 'usage'])
      expect(database.prepare(`SELECT count(*) AS count FROM ${table} WHERE session_id = 's_one'`).get()).toEqual({ count: 0 })
    expect((await storage.service.verify({ path: storage.folder })).differences).toEqual([])
  })

  it('does not come back with a rebuild, even when its log is put back', async () => {
    await storage.open()
    const text = readFileSync(log)
    await storage.service.deleteSession({ workspace: storage.folder, sessionId: 's_one' })
    await storage.close()
    writeFileSync(log, text)
    rmSync(join(storage.folder, '.metona'), { recursive: true })
    storage = storage.again()
    await storage.open()
    expect((await storage.service.listSessions({ workspace: storage.folder })).sessions.map((session) => session.sessionId)).toEqual([
      's_two',
    ])
  })
})
