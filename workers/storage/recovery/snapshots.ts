import { closeSync, constants, copyFileSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import type { WorkspaceLayout } from '../folders/workspace-layout.ts'
import { openConnection } from '../open-database.ts'
import { inspectDatabase } from './inspect-database.ts'

const KEPT = 3
const PAGES_PER_STEP = 256
const SNAPSHOT = /^agent-(\d{8}T\d{9}Z)(?:-before-\d+)?\.db$/

/** `20260625T120000000Z`: sorts by time as text. */
export function stampOf(now: string): string {
  return now.replace(/[-:.]/g, '')
}

/** Newest first. */
export function listSnapshots(layout: WorkspaceLayout): { file: string; stamp: string }[] {
  let names: string[]
  try {
    names = readdirSync(layout.snapshots)
  } catch {
    // None was ever taken.
    return []
  }
  return names
    .map((name) => ({ file: join(layout.snapshots, name), stamp: SNAPSHOT.exec(name)?.[1] ?? '' }))
    .filter((snapshot) => snapshot.stamp !== '')
    .sort((left, right) => (left.stamp < right.stamp ? 1 : -1))
}

/** Copies in small steps between which the thread answers; kept only after every page was checked. */
export async function takeSnapshot(database: Database, layout: WorkspaceLayout, now: string): Promise<string | undefined> {
  mkdirSync(layout.snapshots, { recursive: true, mode: 0o700 })
  const file = join(layout.snapshots, `agent-${stampOf(now)}.db`)
  const temporary = `${file}.tmp`
  rmSync(temporary, { force: true })
  try {
    await database.backup(temporary, { progress: () => PAGES_PER_STEP })
    leaveWal(temporary)
    return keepVerified(temporary, file, layout)
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** At once, while nothing else may happen: at the end, and (with `fromVersion`) before a migration. */
export function takeSnapshotNow(
  database: Database,
  layout: WorkspaceLayout,
  now: string,
  fromVersion: number | undefined,
): string | undefined {
  mkdirSync(layout.snapshots, { recursive: true, mode: 0o700 })
  const file = join(layout.snapshots, `agent-${stampOf(now)}${fromVersion === undefined ? '' : `-before-${fromVersion}`}.db`)
  const temporary = `${file}.tmp`
  rmSync(temporary, { force: true })
  try {
    database.prepare('VACUUM INTO ?').run(temporary)
    return keepVerified(temporary, file, layout)
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** The newest snapshot without a fault in it. */
export function newestGoodSnapshot(layout: WorkspaceLayout): string | undefined {
  return listSnapshots(layout).find((snapshot) => inspectDatabase(snapshot.file, true, { readOnly: true }).state === 'sound')?.file
}

/** Puts a copy of the snapshot in the database's place. */
export function restoreSnapshot(snapshot: string, layout: WorkspaceLayout): void {
  const temporary = `${layout.database}.restoring`
  copyFileSync(snapshot, temporary, constants.COPYFILE_FICLONE)
  syncFile(temporary)
  renameSync(temporary, layout.database)
  syncFile(layout.internals)
}

/** A copy that is only read needs no files beside it. */
function leaveWal(file: string): void {
  const { database } = openConnection(file)
  try {
    database.pragma('journal_mode = DELETE')
  } finally {
    database.close()
  }
}

function keepVerified(temporary: string, file: string, layout: WorkspaceLayout): string | undefined {
  if (inspectDatabase(temporary, true, { readOnly: true }).state !== 'sound') return undefined
  syncFile(temporary)
  renameSync(temporary, file)
  for (const old of listSnapshots(layout).slice(KEPT)) rmSync(old.file, { force: true })
  return file
}

/** A folder may be given, except on Windows, which has no such thing. */
export function syncFile(path: string): void {
  if (process.platform === 'win32') return
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
