import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import DatabaseConstructor, { type Database } from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { migrate, schemaVersion } from '#workers/storage/migrate.ts'
import { agentMigrations } from '#workers/storage/migrations/agent-migrations.ts'
import type { Migration } from '#workers/storage/migrations/migration.ts'
import { profileMigrations } from '#workers/storage/migrations/profile-migrations.ts'
import { openConnection } from '#workers/storage/open-database.ts'
import { newBase, openStorage, removeBase } from './open-storage.ts'

let base: string
let database: Database
beforeEach(() => {
  base = newBase()
  database = openConnection(join(base, 'test.db')).database
})
afterEach(() => {
  database.close()
  removeBase(base)
})
const upTo = (version: number): Migration[] => agentMigrations.filter((migration) => migration.version <= version)
const columns = (table: string): unknown[] =>
  database.prepare(`SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info('${table}')`).all()

describe('migration 10', () => {
  /** Typed from the architecture document. */
  const column = (name: string, type: string, notnull = 0, dflt_value: string | null = null, pk = 0): unknown => ({
    name,
    type,
    notnull,
    dflt_value,
    pk,
  })
  it('makes the three tables of the document', () => {
    migrate(database, upTo(10), () => undefined)
    expect(columns('app_config')).toEqual([
      column('key', 'TEXT', 0, null, 1),
      column('value', 'TEXT', 1),
      column('category', 'TEXT', 1),
      column('updated_at', 'TEXT', 0, "datetime('now')"),
    ])
    expect(columns('mcp_servers')).toEqual([
      column('id', 'TEXT', 0, null, 1),
      column('name', 'TEXT', 1),
      column('transport', 'TEXT'),
      column('command', 'TEXT'),
      column('args', 'TEXT'),
      column('url', 'TEXT'),
      column('enabled', 'BOOLEAN', 0, 'TRUE'),
      column('created_at', 'TEXT', 0, "datetime('now')"),
      column('updated_at', 'TEXT', 0, "datetime('now')"),
    ])
    expect(columns('audit_logs')).toEqual([
      column('id', 'INTEGER', 0, null, 1),
      column('session_id', 'TEXT', 1),
      column('iteration', 'INTEGER'),
      column('event_type', 'TEXT', 1),
      column('actor', 'TEXT', 1),
      column('target', 'TEXT', 1),
      column('details', 'TEXT'),
      column('outcome', 'TEXT'),
      column('duration_ms', 'INTEGER'),
      column('created_at', 'TEXT', 0, "datetime('now')"),
    ])
    expect(() => database.exec("INSERT INTO mcp_servers (id, name, transport) VALUES ('a', 'a', 'pigeon')")).toThrow(/CHECK/)
  })
})

describe('migration 20', () => {
  it('keeps MCP entries and audit rows, and takes streamable HTTP', () => {
    migrate(database, upTo(10), () => undefined)
    database.exec(
      "INSERT INTO mcp_servers (id, name, transport, command, args, enabled) VALUES ('a', 'alpha', 'stdio', 'node', '[\"x\"]', 0)",
    )
    database.exec("INSERT INTO audit_logs (session_id, event_type, actor, target) VALUES ('s_a', 'tool_call', 'agent', 'read_file')")
    migrate(database, upTo(20), () => undefined)
    expect(database.prepare('SELECT id, name, transport, command, args, enabled, env FROM mcp_servers').all()).toEqual([
      { id: 'a', name: 'alpha', transport: 'stdio', command: 'node', args: '["x"]', enabled: 0, env: null },
    ])
    expect(database.prepare('SELECT session_id, hash FROM audit_logs').all()).toEqual([{ session_id: 's_a', hash: null }])
    database.exec("INSERT INTO mcp_servers (id, name, transport, url) VALUES ('b', 'beta', 'streamable_http', 'http://x')")
    expect(() => database.exec("INSERT INTO mcp_servers (id, name, transport) VALUES ('c', 'c', 'pigeon')")).toThrow(/CHECK/)
  })
})

describe('migration 30', () => {
  it('makes events append-only', () => {
    migrate(database, upTo(30), () => undefined)
    database.exec("INSERT INTO session_events VALUES ('s_a', 0, 'e', 'session_start', NULL, 't', '{}')")
    expect(() => database.exec("UPDATE session_events SET json = '[]'")).toThrow(/append-only/)
  })
})

describe('migration 70', () => {
  const found = (term: string): unknown[] =>
    database.prepare<[string], { rowid: number }>('SELECT rowid FROM memories_fts WHERE memories_fts MATCH ?').all(`"${term}"`)
  it('makes the index of memories anew, and changes no item', () => {
    migrate(database, upTo(60), () => undefined)
    const insert = database.prepare(
      "INSERT INTO memories (number, id, type, content, fold, summary, source, importance, pinned, created_at, updated_at) VALUES (?, ?, 'semantic', ?, '', ?, 'imported', 0.5, 0, 0, 0)",
    )
    insert.run(3, 'mem_a', '用React做前端', null)
    insert.run(7, 'mem_b', 'plain', '數據庫')
    // As the version before made it.
    database.exec("INSERT INTO memories_fts (rowid, terms) VALUES (3, '用R Re ea ac ct t做 做前 前端'), (7, 'plain 數據 據庫')")
    const before = database.prepare('SELECT * FROM memories').all()
    migrate(database, upTo(70), () => undefined)
    expect([found('react'), found('端'), found('据库'), found('plain'), found('ac')]).toEqual([
      [{ rowid: 3 }],
      [{ rowid: 3 }],
      [{ rowid: 7 }],
      [{ rowid: 7 }],
      [],
    ])
    expect(database.prepare('SELECT * FROM memories').all()).toEqual(before)
  })
})

describe('migration 20 of the profile', () => {
  it('adds grants and keeps trust', () => {
    migrate(
      database,
      profileMigrations.filter(({ version }) => version <= 10),
      () => undefined,
    )
    database.exec("INSERT INTO trust VALUES ('/w', 't')")
    migrate(database, profileMigrations, () => undefined)
    expect(database.prepare('SELECT path FROM trust').all()).toEqual([{ path: '/w' }])
    database.exec("INSERT INTO grants VALUES (NULL, '/w', '1:1', 'run_command', 'make', 'auto', 't', 't')")
    expect(() => database.exec("INSERT INTO grants VALUES (NULL, '/w', '1:1', 'run_command', 'make', 'none', 't', 't')")).toThrow(/CHECK/)
  })
})

describe('migrate', () => {
  it('numbers go up by tens', () => {
    const versions = agentMigrations.map((migration) => migration.version)
    expect(versions).toEqual(versions.toSorted((left, right) => left - right))
    expect(versions.filter((version) => version % 10 !== 0)).toEqual([])
  })

  it('takes a copy before it changes a database, none before it makes one', () => {
    const copied: number[] = []
    migrate(database, upTo(10), (from) => copied.push(from))
    expect(copied).toEqual([])
    expect(migrate(database, agentMigrations, (from) => copied.push(from))).toEqual(
      agentMigrations.map((migration) => migration.version).filter((version) => version > 10),
    )
    expect(copied).toEqual([10])
  })

  it('a step that fails leaves the version and the tables before it, and runs when tried again', () => {
    migrate(database, upTo(10), () => undefined)
    let broken = true
    const step: Migration = {
      version: 20,
      name: 'half',
      up: (target) => {
        target.exec('CREATE TABLE half (a); INSERT INTO half VALUES (1)')
        if (broken) throw new Error('the power went')
      },
    }
    expect(() => migrate(database, [...upTo(10), step], () => undefined)).toThrow('the power went')
    expect(schemaVersion(database)).toBe(10)
    expect(columns('half')).toEqual([])
    broken = false
    expect(migrate(database, [...upTo(10), step], () => undefined)).toEqual([20])
    expect(database.prepare('SELECT count(*) AS count FROM half').get()).toEqual({ count: 1 })
  })
})

it('an older database is migrated on open, with a verified copy of it kept', async () => {
  const storage = openStorage(base)
  mkdirSync(join(storage.folder, '.metona'))
  const old = openConnection(join(storage.folder, '.metona', 'agent.db'), {
    prepare: (database) => void migrate(database, upTo(10), () => undefined),
  }).database
  old.exec("INSERT INTO app_config (key, value, category) VALUES ('llm.temperature', '0.5', 'llm')")
  old.close()
  expect((await storage.open()).banners).toEqual([])
  expect(readdirSync(join(storage.folder, '.metona', 'snapshots'))).toEqual([expect.stringMatching(/^agent-\d{8}T\d{9}Z-before-10\.db$/)])
  const copy = new DatabaseConstructor(
    join(storage.folder, '.metona', 'snapshots', readdirSync(join(storage.folder, '.metona', 'snapshots'))[0] ?? ''),
    { readonly: true },
  )
  expect(copy.prepare('SELECT key, value FROM app_config').all()).toEqual([{ key: 'llm.temperature', value: '0.5' }])
  copy.close()
  await storage.close()
})

it('every statement of the document stands in the first migration as printed', () => {
  const source = readFileSync(new URL('../../../workers/storage/migrations/010-spec-tables.ts', import.meta.url), 'utf8')
  for (const line of [
    '    value       TEXT NOT NULL,        -- JSON 格式值',
    "    transport   TEXT CHECK(transport IN ('stdio', 'sse')),",
    "    created_at  TEXT DEFAULT (datetime('now'))",
  ])
    expect(source).toContain(line)
})
