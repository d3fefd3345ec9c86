import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { AppError } from '#contracts/wire/app-error.ts'
import type { FoldStore } from '../fold-store.ts'
import type { WorkspaceLayout } from '../folders/workspace-layout.ts'
import { openLogFile } from '../logs/log-file.ts'
import type { LogKeeper } from '../logs/log-keeper.ts'
import type { RowWriter } from '../queries/write-rows.ts'
import { quarantineFile } from './quarantine.ts'

export interface ReconcileParts {
  readonly database: Database
  readonly writer: RowWriter
  readonly folds: FoldStore
  readonly layout: WorkspaceLayout
  /** Absent when the folder is only read: then nothing is repaired and no log is written. */
  readonly keeper: LogKeeper | undefined
  readonly now: () => string
}

export interface ReconcileCounts {
  inserted: number
  appended: number
  torn: number
  /** Places of lines that cannot be read. */
  unreadable: string[]
  /** Events neither the logs nor the database have, though later ones are there. */
  gaps: string[]
  unsafe: string[]
}

/** Undefined for a link or no regular file: it is put aside (or, in reading, passed over) and counted. */
export function openOrPutAside(parts: ReconcileParts, counts: ReconcileCounts, name: string): number | undefined {
  const path = join(parts.layout.logs, name)
  try {
    return openLogFile(path, parts.keeper === undefined ? 'read' : 'append')
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    counts.unsafe.push(name)
    if (parts.keeper !== undefined) quarantineFile(parts.layout, path, parts.now())
    return undefined
  }
}
