import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkspaceLayout } from '../folders/workspace-layout.ts'

/**
 * After a clean close the file's identity is noted; a database found exactly so, and without a WAL, needs no page
 * check, and one that is another file is compared with the logs as a whole. A forged note gains nothing: damage then shows while the database is used, and is repaired there.
 */
export function writeCleanMark(layout: WorkspaceLayout): void {
  writeFileSync(markFile(layout), JSON.stringify(identity(layout)))
}

export type CloseState =
  /** The very file of the last clean close. */
  | 'clean'
  /** It was closed cleanly, but is not that file any more: copied, restored, or changed by somebody. */
  | 'altered'
  /** The last use had no end (or there was none). */
  | 'unknown'

export function closeState(layout: WorkspaceLayout): CloseState {
  try {
    if (statSync(`${layout.database}-wal`, { throwIfNoEntry: false }) !== undefined) return 'unknown'
    return readFileSync(markFile(layout), 'utf8') === JSON.stringify(identity(layout)) ? 'clean' : 'altered'
  } catch {
    // No note, or no file: then it is looked at closely.
    return 'unknown'
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
