import { closeSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { AppError } from '#contracts/wire/app-error.ts'
import { errorCodeOf } from '../database-errors.ts'
import type { WorkspaceLayout } from '../folders/workspace-layout.ts'
import { openLogFile, readLines } from '../logs/log-file.ts'
import { WORKSPACE_LOG } from '../logs/log-names.ts'
import { parseRecordLine, workspaceIdOf } from '../queries/workspace-records.ts'
import type { Inspection } from './inspect-database.ts'

/**
 * A sound database may still be that of another workspace (copied by mistake, or made so by the WAL of another one):
 * the first record of the workspace's log says whose it must be.
 */
export function inspectOwner(database: Database, layout: WorkspaceLayout): Inspection {
  const logged = loggedId(join(layout.logs, WORKSPACE_LOG))
  const stored = hasMeta(database) ? workspaceIdOf(database) : undefined
  if (logged === undefined || stored === undefined || logged === stored) return { state: 'sound', detail: '' }
  return { state: 'foreign', detail: 'the database belongs to another workspace than the logs' }
}

function hasMeta(database: Database): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'meta'").get() !== undefined
}

function loggedId(path: string): string | undefined {
  let fd: number
  try {
    fd = openLogFile(path, 'read')
  } catch (error) {
    // None yet, or one that reconcile will put aside.
    if (error instanceof AppError || errorCodeOf(error) === 'ENOENT') return undefined
    throw error
  }
  try {
    for (const line of readLines(fd)) {
      const record = parseRecordLine(line.text)?.record
      return record?.event === 'workspace_created' ? record.workspaceId : undefined
    }
    return undefined
  } finally {
    closeSync(fd)
  }
}
