import { existsSync, readdirSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import type { Banners } from '../banners.ts'
import { classifyFault } from '../database-errors.ts'
import type { WorkspaceLayout } from '../folders/workspace-layout.ts'
import { parseSessionLogName } from '../logs/log-names.ts'
import { migrate } from '../migrate.ts'
import { agentMigrations } from '../migrations/agent-migrations.ts'
import { openConnection, rollBackJournal, type Connection, type ConnectionOptions } from '../open-database.ts'
import { closeState, removeCleanMark } from './clean-mark.ts'
import { inspectConnection, inspectFile, type DatabaseState, type Inspection } from './inspect-database.ts'
import { inspectOwner } from './inspect-owner.ts'
import { quarantineDatabase } from './quarantine.ts'
import { noteProjection } from './reproject.ts'
import { newestGoodSnapshot, restoreSnapshot, syncFile, takeSnapshotNow } from './snapshots.ts'

export interface OpenedDatabase extends Connection {
  /** How the database came to be there; anything but `sound` and `new` was told in a banner. */
  readonly origin: 'sound' | 'new' | 'snapshot' | 'logs' | 'newer'
  /** What was found in its place. */
  readonly found: DatabaseState
  /** It is sound, but not the file that was closed last: its rows are to be compared with the logs. */
  readonly altered: boolean
  /** Where a damaged or foreign file was put, for what can still be read from it. */
  readonly quarantined: string | undefined
}

/**
 * Opens a workspace's database for writing. One that is missing, empty, damaged or not ours is put aside as it is;
 * the newest sound snapshot takes its place, else an empty one, and the logs fill what is missing (see reconcile).
 * One of a newer version is opened for reading only.
 */
export function openAgentDatabase(
  layout: WorkspaceLayout,
  banners: Banners,
  now: () => string,
  options: ConnectionOptions,
): OpenedDatabase {
  const found = tryOpen(layout, options, banners, now)
  if ('database' in found) return found
  if (found.state === 'missing' && !hasEvidence(layout)) return create(layout, options, banners, 'new', found.state, undefined)
  return replaceDatabase(layout, banners, now, options, found)
}

/** Puts aside what stands there, by the finding given, and puts a snapshot or an empty database in its place. */
export function replaceDatabase(
  layout: WorkspaceLayout,
  banners: Banners,
  now: () => string,
  options: ConnectionOptions,
  found: Inspection,
): OpenedDatabase {
  const quarantined =
    found.state === 'missing' || found.state === 'empty' ? (removeEmpty(layout, now), undefined) : quarantineDatabase(layout, now())
  removeCleanMark(layout)
  const snapshot = newestGoodSnapshot(layout)
  if (snapshot !== undefined) restoreSnapshot(snapshot, layout)
  const opened =
    snapshot === undefined
      ? create(layout, options, banners, 'logs', found.state, quarantined)
      : { ...openSound(layout, options, banners, now), origin: 'snapshot' as const, found: found.state, altered: false, quarantined }
  announce(banners, found, opened, hasLogs(layout))
  return opened
}

/** Puts aside a database that is to be made anew from the logs. */
export function createAgentDatabase(
  layout: WorkspaceLayout,
  banners: Banners,
  now: () => string,
  options: ConnectionOptions,
): OpenedDatabase {
  const quarantined = quarantineDatabase(layout, now())
  return create(layout, options, banners, 'logs', 'sound', quarantined)
}

function tryOpen(layout: WorkspaceLayout, options: ConnectionOptions, banners: Banners, now: () => string): OpenedDatabase | Inspection {
  rollBackJournal(layout.database)
  const file = inspectFile(layout.database)
  if (file.state !== 'sound') return file
  const closed = closeState(layout)
  let connection: Connection
  try {
    connection = openConnection(layout.database, options)
  } catch (error) {
    if (classifyFault(error) !== 'corrupt' && classifyFault(error) !== 'other') throw error
    return { state: 'damaged', detail: error instanceof Error ? error.message : String(error) }
  }
  const { database } = connection
  let inspection: Inspection
  try {
    inspection = inspectConnection(database, closed !== 'clean')
    if (inspection.state === 'sound') inspection = inspectOwner(database, layout)
    if (inspection.state === 'sound') {
      removeCleanMark(layout)
      migrate(database, agentMigrations, (from) => takeSnapshotNow(database, layout, now(), from))
      return {
        ...warnWithoutWal(connection, banners),
        origin: 'sound',
        found: 'sound',
        altered: closed === 'altered',
        quarantined: undefined,
      }
    }
  } catch (error) {
    database.close()
    if (classifyFault(error) !== 'corrupt') throw error
    return { state: 'damaged', detail: error instanceof Error ? error.message : String(error) }
  }
  database.close()
  if (inspection.state !== 'newer') return inspection
  banners.set('error', 'DATABASE_NEWER', `${inspection.detail}. It is opened for reading only; update Metona to continue here.`)
  return {
    ...openConnection(layout.database, { ...options, readOnly: true }),
    origin: 'newer',
    found: 'newer',
    altered: false,
    quarantined: undefined,
  }
}

function openSound(layout: WorkspaceLayout, options: ConnectionOptions, banners: Banners, now: () => string): Connection {
  const connection = openConnection(layout.database, options)
  migrate(connection.database, agentMigrations, (from) => takeSnapshotNow(connection.database, layout, now(), from))
  return warnWithoutWal(connection, banners)
}

function create(
  layout: WorkspaceLayout,
  options: ConnectionOptions,
  banners: Banners,
  origin: 'new' | 'logs',
  found: DatabaseState,
  quarantined: string | undefined,
): OpenedDatabase {
  const prepare = (database: Database): void => {
    migrate(database, agentMigrations, () => undefined)
    noteProjection(database)
  }
  const connection = openConnection(layout.database, { ...options, prepare })
  // The names of new files must outlive a power cut as the first commit does.
  syncFile(layout.internals)
  syncFile(layout.root)
  return { ...warnWithoutWal(connection, banners), origin, found, altered: false, quarantined }
}

function warnWithoutWal(connection: Connection, banners: Banners): Connection {
  if (!connection.wal)
    banners.set(
      'info',
      'DATABASE_WITHOUT_WAL',
      'This file system cannot share memory between programs; the database is written more slowly here.',
    )
  return connection
}

/** Something shows that there was a database with content. */
function hasEvidence(layout: WorkspaceLayout): boolean {
  return existsSync(layout.database) || existsSync(`${layout.database}-wal`) || hasLogs(layout) || newestGoodSnapshot(layout) !== undefined
}

function hasLogs(layout: WorkspaceLayout): boolean {
  return (
    existsSync(layout.logs) &&
    readdirSync(layout.logs).some((name) => parseSessionLogName(name) !== undefined || name === 'workspace.jsonl')
  )
}

/** An empty file goes, and a WAL without its database is kept aside: replayed into a new one it would destroy it. */
function removeEmpty(layout: WorkspaceLayout, now: () => string): void {
  if (existsSync(layout.database) || existsSync(`${layout.database}-wal`) || existsSync(`${layout.database}-journal`))
    quarantineDatabase(layout, now())
}

const FOUND: Readonly<Record<Inspection['state'], string>> = {
  missing: 'DATABASE_MISSING',
  empty: 'DATABASE_EMPTY',
  damaged: 'DATABASE_DAMAGED',
  foreign: 'DATABASE_FOREIGN',
  newer: 'DATABASE_NEWER',
  sound: 'DATABASE_SOUND',
}

function announce(banners: Banners, found: Inspection, opened: OpenedDatabase, hasLogs: boolean): void {
  const from = opened.origin === 'snapshot' ? 'the newest sound snapshot and the logs' : hasLogs ? 'the logs' : 'nothing'
  const kept = opened.quarantined === undefined ? '' : ` The file was kept in ${opened.quarantined}.`
  const made =
    hasLogs || opened.origin === 'snapshot'
      ? `A new one was made from ${from}.`
      : 'There is neither a snapshot nor a log to make a new one from; this workspace begins anew.'
  const level = hasLogs || opened.origin === 'snapshot' ? 'warning' : 'error'
  banners.set(level, FOUND[found.state], `${found.detail}.${kept} ${made}`, {
    detail: found.detail,
    from,
    ...(opened.quarantined === undefined ? {} : { kept: opened.quarantined }),
  })
}
