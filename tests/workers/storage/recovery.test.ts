import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import DatabaseConstructor from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '#tests/helpers/eventually.ts'
import { logName, must, openStorage, removeBase, type TestStorage } from './open-storage.ts'
import { sessionScript } from './session-script.ts'

const events = sessionScript({ sessionId: 's_one' })
const others = sessionScript({ sessionId: 's_two', seed: 2 })

let storage: TestStorage
let file: string
beforeEach(async () => {
  storage = openStorage()
  file = join(storage.folder, '.metona', 'agent.db')
  await storage.open()
  await storage.append(events)
  await storage.append(others)
  await storage.close()
  storage = storage.again()
})
afterEach(async () => {
  await storage.close()
  removeBase(storage.base)
})

const quarantined = (): string[] =>
  existsSync(join(storage.folder, '.metona', 'quarantine')) ? readdirSync(join(storage.folder, '.metona', 'quarantine')) : []
const dropSnapshots = (): void => rmSync(join(storage.folder, '.metona', 'snapshots'), { recursive: true, force: true })
const allThere = async (): Promise<void> => {
  for (const [sessionId, expected] of [
    ['s_one', events],
    ['s_two', others],
  ] as const) {
    expect((await storage.service.readEvents({ workspace: storage.folder, sessionId, fromSeq: 0, limit: 5000 })).events).toEqual(expected)
  }
  expect((await storage.service.verify({ path: storage.folder })).differences).toEqual([])
}

describe.each([
  ['with a snapshot', () => undefined],
  ['from the logs alone', dropSnapshots],
])('a database that cannot be used is replaced, %s:', (_name, prepare) => {
  it.each([
    ['full of garbage', 'DATABASE_DAMAGED', () => writeFileSync(file, Buffer.alloc(50_000, 'garbage!'))],
    ['cut in the middle', 'DATABASE_DAMAGED', () => truncateSync(file, Math.floor(statSync(file).size / 4096 / 2) * 4096)],
    ['empty', 'DATABASE_EMPTY', () => truncateSync(file, 0)],
    ['missing', 'DATABASE_MISSING', () => rmSync(file)],
    ['of another program', 'DATABASE_FOREIGN', () => makeForeign(file)],
    ['with a column renamed', 'DATABASE_DAMAGED', () => renameColumn(file)],
    ['with a foreign trigger', 'DATABASE_FOREIGN', () => addTrigger(file)],
  ])('%s', async (_what, code, damage) => {
    prepare()
    damage()
    const before = existsSync(file) ? readFileSync(file) : undefined
    const { banners } = await storage.open()
    expect(banners.map((banner) => banner.code)).toEqual([code])
    await allThere()
    if (before !== undefined && before.length > 0) {
      const kept = join(storage.folder, '.metona', 'quarantine', must(quarantined()[0]), 'agent.db')
      expect(readFileSync(kept).equals(before)).toBe(true)
    }
  })
})

it('a damaged database without snapshot and logs is said to be lost, not shown as empty', async () => {
  dropSnapshots()
  rmSync(join(storage.folder, 'logs'), { recursive: true })
  writeFileSync(file, Buffer.alloc(50_000, 'garbage!'))
  const { banners } = await storage.open()
  expect(banners).toMatchObject([{ code: 'DATABASE_DAMAGED', level: 'error' }])
  expect(banners[0]?.message).toContain('begins anew')
})

it('what only a damaged database still has is taken over from it', async () => {
  dropSnapshots()
  rmSync(join(storage.folder, 'logs', must(logName(storage.folder, 's_one'))))
  // The last page alone is destroyed: the table of events can be read.
  const database = new DatabaseConstructor(file)
  database.exec('CREATE VIEW somebody AS SELECT 1')
  const page = (database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'idx_config_category'").get() as { rootpage: number })
    .rootpage
  database.exec('DROP VIEW somebody')
  database.close()
  const bytes = readFileSync(file)
  bytes.fill(0xff, (page - 1) * 4096, page * 4096)
  writeFileSync(file, bytes)
  const { banners } = await storage.open()
  expect(banners.map((banner) => banner.code)).toEqual(['DATABASE_DAMAGED'])
  expect(banners[0]?.params).toMatchObject({ salvaged: events.length })
  await allThere()
})

it('a database of a newer version is opened for reading only', async () => {
  const database = new DatabaseConstructor(file)
  database.pragma('user_version = 9990')
  database.close()
  const opened = await storage.open()
  expect(opened).toMatchObject({ readOnly: true, banners: [{ code: 'DATABASE_NEWER' }] })
  expect((await storage.service.listSessions({ workspace: storage.folder })).sessions).toHaveLength(2)
  await expect(storage.append(sessionScript({ sessionId: 's_new' }))).rejects.toMatchObject({ code: 'READ_ONLY' })
})

it('damage met while the database is in use is mended, and the write that met it goes through', async () => {
  await storage.open()
  const { database } = storage.workspaces.get(storage.folder)
  database.pragma('wal_checkpoint(TRUNCATE)')
  const bytes = readFileSync(file)
  writeFileSync(file, Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 0xff)]))
  database.pragma('shrink_memory')
  const more = sessionScript({ sessionId: 's_three' })
  await storage.append(more)
  expect((await storage.service.banners({})).banners.map((banner) => banner.code)).toContain('DATABASE_DAMAGED')
  expect((await storage.service.listSessions({ workspace: storage.folder })).sessions.map((session) => session.sessionId).sort()).toEqual([
    's_one',
    's_three',
    's_two',
  ])
  await allThere()
})

it('a repair that fails is tried again, and what waited for it is written', async () => {
  await storage.open()
  const { database } = storage.workspaces.get(storage.folder)
  database.pragma('wal_checkpoint(TRUNCATE)')
  const bytes = readFileSync(file)
  writeFileSync(file, Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 0xff)]))
  database.pragma('shrink_memory')
  const obstacle = join(storage.folder, '.metona', 'quarantine')
  writeFileSync(obstacle, 'in the way of the folder that a damaged database is kept in')
  const appended = storage.append(sessionScript({ sessionId: 's_three' }))
  await eventually('the first repair to fail', () => storage.workspaces.get(storage.folder).queue.stalled)
  rmSync(obstacle)
  await appended
  const { sessions } = await storage.service.listSessions({ workspace: storage.folder })
  expect(sessions.map((session) => session.sessionId).sort()).toEqual(['s_one', 's_three', 's_two'])
  await allThere()
})

describe('snapshots', () => {
  it('one is taken at the end of a day without one, whole and sound', () => {
    const folder = join(storage.folder, '.metona', 'snapshots')
    expect(readdirSync(folder)).toHaveLength(1)
    const database = new DatabaseConstructor(join(folder, must(readdirSync(folder)[0])), { readonly: true })
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(database.prepare('SELECT count(*) AS count FROM session_events').get()).toEqual({ count: events.length + others.length })
    database.close()
  })

  it('three are kept, and one that is damaged is passed over', async () => {
    let day = Date.parse('2027-01-01T00:00:00Z')
    for (let count = 0; count < 5; count++) {
      day += 2 * 86_400_000
      const now = new Date(day).toISOString()
      storage = storage.again({ now: () => now })
      await storage.open()
      await storage.close()
    }
    const folder = join(storage.folder, '.metona', 'snapshots')
    expect(readdirSync(folder)).toEqual(['agent-20270107T000000000Z.db', 'agent-20270109T000000000Z.db', 'agent-20270111T000000000Z.db'])
    writeFileSync(join(folder, 'agent-20270111T000000000Z.db'), Buffer.alloc(9000, 7))
    rmSync(file)
    storage = storage.again()
    const { banners } = await storage.open()
    expect(banners).toMatchObject([{ code: 'DATABASE_MISSING', params: { from: 'the newest sound snapshot and the logs' } }])
    await allThere()
  })
})

describe('rebuild', () => {
  it('in a copy from which .metona was deleted gives the same sessions, messages, search, usage, audit, config and MCP entries', async () => {
    await storage.open()
    await storage.service.configSet({ workspace: storage.folder, key: 'llm.temperature', value: 0.3 })
    await storage.service.configSet({ workspace: storage.folder, key: 'llm.temperature', value: 0.5 })
    await storage.service.mcpSet({
      workspace: storage.folder,
      server: {
        id: 'a',
        name: 'alpha',
        transport: 'streamable_http',
        url: 'http://127.0.0.1:9',
        headers: { 'X-Key': '${ALPHA}' },
        enabled: true,
      },
    })
    await storage.service.mcpSet({
      workspace: storage.folder,
      server: { id: 'b', name: 'beta', transport: 'stdio', command: 'beta', args: ['-v'], enabled: false },
    })
    await storage.service.mcpRemove({ workspace: storage.folder, id: 'b' })
    const original = dump(storage)
    const found = await storage.service.searchMessages({ workspace: storage.folder, query: '分析', limit: 100 })
    expect(found.hits.length).toBeGreaterThan(3)
    await storage.close()

    const copy = openStorage()
    cpSync(storage.folder, copy.folder, { recursive: true })
    rmSync(join(copy.folder, '.metona'), { recursive: true })
    expect((await copy.service.rebuild({ path: copy.folder })).differences).toEqual([])
    await copy.open()
    expect(dump(copy)).toEqual(original)
    expect(await copy.service.searchMessages({ workspace: copy.folder, query: '分析', limit: 100 })).toEqual(found)
    expect(await copy.service.mcpList({ workspace: copy.folder })).toEqual({
      servers: [
        {
          id: 'a',
          name: 'alpha',
          transport: 'streamable_http',
          url: 'http://127.0.0.1:9',
          headers: { 'X-Key': '${ALPHA}' },
          enabled: true,
        },
      ],
    })
    await copy.close()
    removeBase(copy.base)
    storage = storage.again()
  })

  it('puts the old database aside and keeps partial texts', async () => {
    await storage.open()
    const partial = {
      sessionId: 's_one',
      messageId: 'a_9',
      turn: 3,
      iteration: 1,
      text: 'half an ans',
      thinking: '',
      updatedAt: '2026-06-25T12:00:00.000Z',
    }
    await storage.service.savePartial({ workspace: storage.folder, partial })
    const report = await storage.service.rebuild({ path: storage.folder })
    expect(report).toMatchObject({ sessions: 2, events: events.length + others.length, differences: [] })
    expect(quarantined()).toHaveLength(1)
    expect((await storage.service.readPartials({ workspace: storage.folder })).partials).toEqual([partial])
    expect(await storage.append(sessionScript({ sessionId: 's_one', turns: 3 }))).toMatchObject({ lastSeq: expect.any(Number) as number })
  })

  it('is refused for a folder without data', async () => {
    await expect(storage.service.rebuild({ path: storage.base })).rejects.toMatchObject({ code: 'NO_DATA' })
    expect(readdirSync(storage.base).sort()).toEqual(['profile', 'work space 工作'])
  })
})

describe('reading without a lock and without trust', () => {
  it('changes nothing in the folder', async () => {
    const before = listing(storage.folder)
    await storage.service.openWorkspace({ path: storage.folder, trust: 'stored', mode: 'read', waitMs: 0 })
    expect((await storage.service.listSessions({ workspace: storage.folder })).sessions).toHaveLength(2)
    await storage.close()
    expect(listing(storage.folder)).toEqual(before)
  })

  it('shows what the logs hold when the database is damaged', async () => {
    writeFileSync(file, Buffer.alloc(50_000, 'garbage!'))
    const before = listing(storage.folder)
    const opened = await storage.service.openWorkspace({ path: storage.folder, trust: 'stored', mode: 'read', waitMs: 0 })
    expect(opened.banners.map((banner) => banner.code)).toEqual(['DATABASE_DAMAGED'])
    expect((await storage.service.listSessions({ workspace: storage.folder })).sessions).toHaveLength(2)
    await storage.close()
    expect(listing(storage.folder)).toEqual(before)
  })

  it('reads what a crash left in the WAL', async () => {
    await storage.open()
    await storage.append(sessionScript({ sessionId: 's_wal' }))
    const copy = openStorage()
    cpSync(storage.folder, copy.folder, { recursive: true })
    expect(statSync(`${join(copy.folder, '.metona', 'agent.db')}-wal`).size).toBeGreaterThan(0)
    const before = listing(copy.folder)
    await copy.service.openWorkspace({ path: copy.folder, trust: 'stored', mode: 'read', waitMs: 0 })
    expect((await copy.service.listSessions({ workspace: copy.folder })).sessions).toHaveLength(3)
    await copy.close()
    expect(listing(copy.folder)).toEqual(before)
    removeBase(copy.base)
  })

  it('sees what a writer commits meanwhile', async () => {
    await storage.open()
    const reader = storage.again()
    await reader.service.openWorkspace({ path: storage.folder, trust: 'stored', mode: 'read', waitMs: 0 })
    await storage.append(sessionScript({ sessionId: 's_live' }))
    expect((await reader.service.listSessions({ workspace: storage.folder })).sessions).toHaveLength(3)
    expect(await reader.service.verify({ path: storage.folder })).toMatchObject({ sessions: 3, differences: [] })
    await reader.close()
  })

  it('of a folder without data shows nothing and makes nothing', async () => {
    const empty = openStorage()
    const opened = await empty.service.openWorkspace({ path: empty.folder, trust: 'stored', mode: 'read', waitMs: 0 })
    expect(opened).toMatchObject({ readOnly: true, banners: [] })
    expect((await empty.service.listSessions({ workspace: empty.folder })).sessions).toEqual([])
    expect(readdirSync(empty.folder)).toEqual([])
    await empty.close()
    removeBase(empty.base)
  })
})

function makeForeign(path: string): void {
  rmSync(path)
  const database = new DatabaseConstructor(path)
  database.exec('CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES (1)')
  database.pragma('application_id = 4242')
  database.close()
}

function addTrigger(path: string): void {
  const database = new DatabaseConstructor(path)
  database.exec('CREATE TRIGGER evil AFTER INSERT ON messages BEGIN DELETE FROM audit_logs; END')
  database.close()
}

function renameColumn(path: string): void {
  const database = new DatabaseConstructor(path)
  database.exec('ALTER TABLE usage RENAME COLUMN queued_ms TO queued_mr')
  database.close()
}

/** Everything that must be equal, ordered by what it is and not by when it was written. */
function dump(from: TestStorage): unknown {
  const { database } = from.workspaces.get(from.folder)
  const all = (sql: string): unknown[] => database.prepare(sql).all()
  return {
    sessions: all('SELECT * FROM sessions ORDER BY session_id'),
    events: all('SELECT * FROM session_events ORDER BY session_id, seq'),
    messages: all('SELECT session_id, seq, role, content, ts FROM messages ORDER BY session_id, seq'),
    usage: all('SELECT * FROM usage ORDER BY session_id, seq'),
    audit: all(
      'SELECT session_id, iteration, event_type, actor, target, details, outcome, duration_ms, created_at, log_seq, prev_hash, hash FROM audit_logs ORDER BY session_id, log_seq',
    ),
    config: all('SELECT * FROM app_config ORDER BY key'),
    servers: all('SELECT * FROM mcp_servers ORDER BY id'),
  }
}

function listing(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(
      (entry) =>
        `${entry.parentPath}/${entry.name} ${entry.isFile() ? `${statSync(join(entry.parentPath, entry.name)).size} ${statSync(join(entry.parentPath, entry.name)).mtimeMs}` : ''}`,
    )
    .sort()
}

it('damage met by a reader is mended, and what was asked for is answered', async () => {
  await storage.open()
  const { database } = storage.workspaces.get(storage.folder)
  database.exec('DROP TRIGGER session_events_append_only')
  database.exec("UPDATE session_events SET json = substr(json, 1, 20) WHERE session_id = 's_one' AND seq = 4")
  await allThere()
  expect((await storage.service.banners({})).banners.map((banner) => banner.code)).toEqual(['DATABASE_DAMAGED'])
})
