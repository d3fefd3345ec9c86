import type { Database } from 'better-sqlite3'
import type { Migration } from './migrations/migration.ts'
import { APPLICATION_ID } from './open-database.ts'

export function latestVersion(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0
}

export function schemaVersion(database: Database): number {
  return database.pragma('user_version', { simple: true }) as number
}

/**
 * Brings the schema up to date and returns the versions run. Each step is one transaction that also raises
 * `user_version`, so after a kill the next call goes on where it stood. `copyFirst` is called once, before the
 * first step on a file that holds anything.
 */
export function migrate(database: Database, migrations: readonly Migration[], copyFirst: (fromVersion: number) => void): number[] {
  const from = schemaVersion(database)
  const steps = migrations.filter((migration) => migration.version > from)
  if (steps.length === 0) return []
  if (from > 0) copyFirst(from)
  const done: number[] = []
  const run = (step: Migration): void => {
    // Another program may have been quicker: looked at again under the lock.
    if (schemaVersion(database) >= step.version) return
    step.up(database)
    database.pragma(`application_id = ${APPLICATION_ID}`)
    database.pragma(`user_version = ${step.version}`)
    done.push(step.version)
  }
  // A new file gets all of it at once: half a schema is worth nothing there, and one sync is cheaper than three.
  if (from === 0) inTransaction(database, () => steps.forEach(run))
  else for (const step of steps) inTransaction(database, () => run(step))
  return done
}

/** `BEGIN IMMEDIATE`: a transaction that reads first and writes later would fail at once on a foreign commit in between. */
export function inTransaction<T>(database: Database, work: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    // SQLite has already rolled back after some errors (full disk, i/o).
    if (database.inTransaction) database.exec('ROLLBACK')
    throw error
  }
}
