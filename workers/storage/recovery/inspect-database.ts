import { closeSync, openSync, readSync, statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { classifyFault } from '../database-errors.ts'
import { latestVersion, schemaVersion } from '../migrate.ts'
import { agentMigrations } from '../migrations/agent-migrations.ts'
import { schemaFaults } from './schema-shape.ts'
import { APPLICATION_ID, openConnection, type ConnectionOptions } from '../open-database.ts'

/** What stands at the place of a database. */
export type DatabaseState = 'missing' | 'empty' | 'damaged' | 'foreign' | 'newer' | 'sound'

export interface Inspection {
  readonly state: DatabaseState
  /** For people and logs: what exactly was found. */
  readonly detail: string
}

const MAGIC = 'SQLite format 3\0'

/** Before SQLite touches the file: it opens one of no bytes as an empty database without a word. */
export function inspectFile(file: string): Inspection {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return { state: 'missing', detail: 'there is no database file' }
  if (stat.size === 0) return { state: 'empty', detail: 'the database file has no bytes' }
  const head = Buffer.alloc(100)
  const fd = openSync(file, 'r')
  try {
    const count = readSync(fd, head, 0, 100, 0)
    if (count < 100 || head.toString('latin1', 0, 16) !== MAGIC)
      return { state: 'damaged', detail: 'the file does not begin as a database does' }
  } finally {
    closeSync(fd)
  }
  const version = head.readUInt32BE(60)
  const id = head.readUInt32BE(68)
  if (id === APPLICATION_ID) return { state: 'sound', detail: '' }
  // A foreign file is not even opened for writing: that alone would change it.
  if (id === 0 && version === 0 && hasNoTables(file)) return { state: 'empty', detail: 'the database has no tables' }
  return { state: 'foreign', detail: `the database belongs to another program (application id ${id})` }
}

function hasNoTables(file: string): boolean {
  try {
    const { database } = openConnection(file, { readOnly: true })
    try {
      return tableCount(database) === 0
    } finally {
      database.close()
    }
  } catch {
    // A making that was cut off leaves a journal, which only a writer may roll back: there is nothing in the file yet.
    return true
  }
}

/** The schema's owner and version; when asked, also its tables and every page. The connection may be of any kind. */
export function inspectConnection(database: Database, checkPages: boolean): Inspection {
  try {
    const id = database.pragma('application_id', { simple: true })
    const version = schemaVersion(database)
    if (id === 0 && version === 0 && tableCount(database) === 0) return { state: 'empty', detail: 'the database has no tables' }
    if (id !== APPLICATION_ID) return { state: 'foreign', detail: `the database belongs to another program (application id ${String(id)})` }
    if (version > latestVersion(agentMigrations))
      return { state: 'newer', detail: `the database has version ${version}, this Metona knows ${latestVersion(agentMigrations)}` }
    if (!agentMigrations.some((migration) => migration.version === version))
      return { state: 'damaged', detail: `the database has version ${version}, which never existed` }
    const foreign = foreignObjects(database)
    if (foreign.length > 0)
      return { state: 'foreign', detail: `the database has triggers or views of somebody else: ${foreign.join(', ')}` }
    const faults = checkPages ? schemaFaults(database, version) : []
    if (faults.length > 0) return { state: 'damaged', detail: `the schema is damaged: ${faults.join(', ')}` }
    const check = checkPages ? String(database.pragma('quick_check(1)', { simple: true })) : 'ok'
    return check === 'ok' ? { state: 'sound', detail: '' } : { state: 'damaged', detail: check.split('\n', 2).join(' ').slice(0, 300) }
  } catch (error) {
    if (classifyFault(error) !== 'corrupt' && classifyFault(error) !== 'other') throw error
    return { state: 'damaged', detail: error instanceof Error ? error.message : String(error) }
  }
}

/** Opens, looks and closes. */
export function inspectDatabase(file: string, checkPages: boolean, options: ConnectionOptions): Inspection {
  const first = inspectFile(file)
  if (first.state !== 'sound') return first
  try {
    const { database } = openConnection(file, options)
    try {
      return inspectConnection(database, checkPages)
    } finally {
      database.close()
    }
  } catch (error) {
    if (classifyFault(error) !== 'corrupt' && classifyFault(error) !== 'other') throw error
    return { state: 'damaged', detail: error instanceof Error ? error.message : String(error) }
  }
}

const OWN_TRIGGERS: ReadonlySet<string> = new Set(['session_events_append_only', 'workspace_events_append_only'])

/** Triggers and views run by themselves; only ours may be there. */
function foreignObjects(database: Database): string[] {
  const rows = database
    .prepare<[], { type: string; name: string }>("SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view')")
    .all()
  return rows.filter((row) => row.type === 'view' || !OWN_TRIGGERS.has(row.name)).map((row) => `${row.type} ${row.name}`)
}

function tableCount(database: Database): number {
  return database.prepare<[], { count: number }>('SELECT count(*) AS count FROM sqlite_schema').get()?.count ?? 0
}
