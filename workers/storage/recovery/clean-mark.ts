import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkspaceLayout } from '../folders/workspace-layout.ts'

/**
 * After a clean close the file's identity is noted; a database found exactly so, and without a WAL, needs no page
 * check. A forged note gains nothing: damage then shows while the database is used, and is repaired there.
 */
export function writeCleanMark(layout: WorkspaceLayout): void {
  writeFileSync(markFile(layout), JSON.stringify(identity(layout)))
}

export function isCleanlyClosed(layout: WorkspaceLayout): boolean {
  try {
    if (statSync(`${layout.database}-wal`, { throwIfNoEntry: false }) !== undefined) return false
    return readFileSync(markFile(layout), 'utf8') === JSON.stringify(identity(layout))
  } catch {
    // No note, or no file: then it is looked at closely.
    return false
  }
}

export function removeCleanMark(layout: WorkspaceLayout): void {
  rmSync(markFile(layout), { force: true })
}

function markFile(layout: WorkspaceLayout): string {
  return join(layout.internals, 'clean.json')
}

function identity(layout: WorkspaceLayout): unknown {
  const stat = statSync(layout.database, { bigint: true })
  return [stat.dev, stat.ino, stat.size, stat.mtimeNs].map(String)
}
