import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { WorkspaceLayout } from '../folders/workspace-layout.ts'
import { stampOf, syncFile } from './snapshots.ts'

const KEPT = 5

/** Moves the database, with what belongs to it, out of the way. Nothing is deleted but the oldest of many. Returns the folder. */
export function quarantineDatabase(layout: WorkspaceLayout, now: string): string {
  const folder = newFolder(layout, now)
  for (const suffix of ['', '-wal', '-shm', '-journal']) {
    const file = `${layout.database}${suffix}`
    if (existsSync(file)) renameSync(file, join(folder, `agent.db${suffix}`))
  }
  syncFile(layout.internals)
  return folder
}

/** Moves one damaged or unsafe file there; a link is moved itself, not what it points to. Returns its new place. */
export function quarantineFile(layout: WorkspaceLayout, path: string, now: string): string {
  const folder = join(layout.quarantine, 'files')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const target = freeName(join(folder, `${stampOf(now)}-${basename(path)}`))
  renameSync(path, target)
  return target
}

function newFolder(layout: WorkspaceLayout, now: string): string {
  mkdirSync(layout.quarantine, { recursive: true, mode: 0o700 })
  const databases = readdirSync(layout.quarantine)
    .filter((name) => /^\d{8}T/.test(name))
    .sort()
  for (const old of databases.slice(0, 1 - KEPT)) rmSync(join(layout.quarantine, old), { recursive: true, force: true })
  const folder = freeName(join(layout.quarantine, stampOf(now)))
  mkdirSync(folder)
  return folder
}

function freeName(path: string): string {
  for (let count = 0; ; count++) {
    const candidate = count === 0 ? path : `${path}-${count}`
    if (lstatSync(candidate, { throwIfNoEntry: false }) === undefined) return candidate
  }
}
