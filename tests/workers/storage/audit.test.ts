import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import DatabaseConstructor, { type Database } from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { logName, must, openStorage, removeBase, type TestStorage } from './open-storage.ts'
import { sessionScript } from './session-script.ts'

let storage: TestStorage
beforeEach(async () => {
  storage = openStorage()
  await storage.open()
  await storage.append(sessionScript({ sessionId: 's_one' }))
  await storage.append(sessionScript({ sessionId: 's_two', seed: 2 }))
  await storage.close()
  storage = storage.again()
})
afterEach(async () => {
  await storage.close()
  removeBase(storage.base)
})

/** Changes the database as somebody with an SQLite shell would. */
function tamper(change: (database: Database) => void): void {
  const database = new DatabaseConstructor(join(storage.folder, '.metona', 'agent.db'))
  change(database)
  database.close()
}
const kinds = async (): Promise<string[]> => [
  ...new Set((await storage.service.verify({ path: storage.folder })).differences.map((difference) => difference.kind)),
]

describe('verify', () => {
  it('finds nothing where nothing was done, and counts', async () => {
    const report = await storage.service.verify({ path: storage.folder })
    expect(report).toMatchObject({ sessions: 2, differences: [], notices: [] })
    expect(report.events).toBe(sessionScript({ sessionId: 's_one' }).length * 2)
  })

  it.each([
    ['one changed byte', "UPDATE audit_logs SET target = 'read_filf' WHERE id = 5", ['audit_logs_changed', 'audit_chain']],
    ['a changed outcome', "UPDATE audit_logs SET outcome = 'denied' WHERE id = 5", ['audit_logs_changed', 'audit_chain']],
    [
      'a changed number, which no column of the document holds',
      'UPDATE audit_logs SET log_seq = 9000 WHERE id = 5',
      ['audit_logs_missing', 'audit_logs_extra', 'audit_chain'],
    ],
    ['a removed row', 'DELETE FROM audit_logs WHERE id = 5', ['audit_logs_missing', 'audit_chain']],
    [
      'the last row of a session removed',
      "DELETE FROM audit_logs WHERE id = (SELECT max(id) FROM audit_logs WHERE session_id = 's_two')",
      ['audit_logs_missing', 'audit_head'],
    ],
    [
      'an inserted row',
      "INSERT INTO audit_logs (session_id, event_type, actor, target) VALUES ('s_one', 'tool_call', 'agent', 'read_file')",
      ['audit_logs_extra', 'audit_chain'],
    ],
    [
      'a row for a session that never was',
      "INSERT INTO audit_logs (session_id, event_type, actor, target, log_seq, prev_hash, hash) VALUES ('s_ghost', 'tool_call', 'agent', 'x', 1, '', '')",
      ['audit_logs_extra', 'audit_chain'],
    ],
  ])('finds %s', async (_what, sql, expected) => {
    tamper((database) => database.exec(sql))
    expect((await kinds()).sort()).toEqual([...expected].sort())
  })

  it('finds a changed event, although the log was changed alike', async () => {
    tamper((database) => {
      const { sql } = database.prepare("SELECT sql FROM sqlite_schema WHERE name = 'session_events_append_only'").get() as { sql: string }
      database.exec('DROP TRIGGER session_events_append_only')
      database.exec(
        `UPDATE session_events SET json = replace(json, '"tool":"read_file"', '"tool":"read_fils"') WHERE session_id = 's_one' AND event = 'permission'`,
      )
      database.exec(sql)
    })
    const log = join(storage.folder, 'logs', must(logName(storage.folder, 's_one')))
    const lines = readFileSync(log, 'utf8').split('\n')
    writeFileSync(
      log,
      lines
        .map((line) => (line.includes('"event":"permission"') ? line.replace('"tool":"read_file"', '"tool":"read_fils"') : line))
        .join('\n'),
    )
    expect(await kinds()).toContain('audit_chain')
  })

  it('finds a history written anew as a whole, by what the profile remembers', async () => {
    const forged = openStorage()
    await forged.open()
    await forged.append(sessionScript({ sessionId: 's_one', seed: 77 }))
    await forged.append(sessionScript({ sessionId: 's_two', seed: 78 }))
    await forged.close()
    const identity = readFileSync(join(storage.folder, 'logs', 'workspace.jsonl'), 'utf8')
    copyFileSync(join(forged.folder, '.metona', 'agent.db'), join(storage.folder, '.metona', 'agent.db'))
    tamper((database) => {
      const { workspaceId } = JSON.parse(identity) as { workspaceId: string }
      database.prepare("UPDATE meta SET value = ? WHERE key = 'workspace_id'").run(workspaceId)
      database.exec('DELETE FROM log_files; DELETE FROM workspace_events')
      database.prepare("INSERT INTO workspace_events SELECT 0, 'workspace_created', ? ->> 'ts', ?").run(identity.trim(), identity.trim())
    })
    for (const id of ['s_one', 's_two'])
      writeFileSync(
        join(storage.folder, 'logs', must(logName(storage.folder, id))),
        readFileSync(join(forged.folder, 'logs', must(logName(forged.folder, id)))),
      )
    removeBase(forged.base)
    expect(await kinds()).toEqual(['audit_head'])
  })

  it.each([
    ['messages', "UPDATE messages SET content = 'other' WHERE seq = 1 AND session_id = 's_one'", 'messages_changed'],
    ['usage', 'DELETE FROM usage WHERE rowid IN (SELECT rowid FROM usage LIMIT 1)', 'usage_missing'],
    ['sessions', "UPDATE sessions SET title = 'other' WHERE session_id = 's_one'", 'sessions_changed'],
    ['the search index', 'DELETE FROM messages_fts WHERE rowid = (SELECT min(id) FROM messages)', 'search_changed'],
    [
      'configuration',
      `INSERT INTO app_config (key, value, category) VALUES ('security.permission', '"plan"', 'security')`,
      'app_config_extra',
    ],
    ['MCP entries', "INSERT INTO mcp_servers (id, name, transport, command) VALUES ('evil', 'evil', 'stdio', 'sh')", 'mcp_servers_extra'],
  ])('finds what the logs do not know in %s', async (_table, sql, kind) => {
    tamper((database) => database.exec(sql))
    expect(await kinds()).toEqual([kind])
  })

  it('names session and number of each difference', async () => {
    tamper((database) => database.exec("UPDATE messages SET content = 'other' WHERE seq = 1 AND session_id = 's_one'"))
    const { differences } = await storage.service.verify({ path: storage.folder })
    expect(differences).toEqual([
      { kind: 'messages_changed', sessionId: 's_one', seq: 1, message: 'messages: content differ from the logs (s_one/1)' },
    ])
  })

  it('does not hold a workspace made anew in the same place to the old one’s history', async () => {
    for (const name of ['.metona', 'logs']) rmSync(join(storage.folder, name), { recursive: true })
    await storage.open()
    await storage.append(sessionScript({ sessionId: 's_one', seed: 9, turns: 1 }))
    expect((await storage.service.verify({ path: storage.folder })).differences).toEqual([])
  })

  it('of a folder without data makes nothing in it', async () => {
    mkdirSync(join(storage.base, 'empty'))
    expect(await storage.service.verify({ path: join(storage.base, 'empty') })).toMatchObject({ sessions: 0, events: 0, differences: [] })
    expect(readdirSync(join(storage.base, 'empty'))).toEqual([])
  })
})

it('verify while events are being committed finds no differences', async () => {
  await storage.open()
  const events = sessionScript({ sessionId: 's_busy', turns: 40 })
  let verifying = true
  const writing = (async () => {
    for (let at = 0; at < events.length && verifying; at += 2) await storage.append(events.slice(at, at + 2))
  })()
  const reports = [await storage.service.verify({ path: storage.folder }), await storage.service.verify({ path: storage.folder })]
  verifying = false
  await writing
  expect(reports.map((report) => report.differences)).toEqual([[], []])
  expect((await storage.service.verify({ path: storage.folder })).differences).toEqual([])
})

it('verify of an open workspace finds a log that is gone', async () => {
  await storage.open()
  rmSync(join(storage.folder, 'logs', must(logName(storage.folder, 's_one'))))
  expect(await kinds()).toContain('session_events_extra')
})
