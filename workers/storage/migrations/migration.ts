import type { Database } from 'better-sqlite3'

/** One step of the schema. Versions go up by tens so that a fix can be put between two of them. */
export interface Migration {
  readonly version: number
  readonly name: string
  /** Runs inside a transaction that also raises `user_version`, so a kill leaves the old schema or the new one. */
  up(database: Database): void
}
