import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { AppError } from '#contracts/wire/app-error.ts'
import { ownIdentity, startTimeOf, type ProcessIdentity } from './process-identity.ts'
import { tryOsLock, type OsLock } from './os-lock.ts'

const POLL_MS = 50
const IdentitySchema = z.object({ pid: z.number().int().positive(), host: z.string(), startTime: z.string(), since: z.string() })

export interface WorkspaceLock {
  release(): void
}

export interface LockPlaces {
  readonly profile: string
  readonly workspace: string
  /** The workspace's `.metona`. */
  readonly internals: string
}

/**
 * One writer per workspace. Two locks are taken: one in the profile, out of reach of anything in the folder, and one
 * in the folder, for programs with another profile. A file beside the first names the holder by pid and start time.
 * `WORKSPACE_IN_USE` after `waitMs`.
 */
export async function acquireWorkspaceLock(places: LockPlaces, waitMs: number, now: () => string): Promise<WorkspaceLock> {
  const folder = join(places.profile, 'locks')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const name = createHash('sha256').update(places.workspace).digest('hex').slice(0, 32)
  const files = [join(folder, `${name}.lock`), join(places.internals, 'writer.lock')]
  const holder = join(folder, `${name}.json`)
  const deadline = performance.now() + waitMs
  for (;;) {
    const locks = takeAll(files, holder)
    if (locks !== undefined) {
      writeHolder(holder, ownIdentity(now()))
      return {
        release: () => {
          rmSync(holder, { force: true })
          for (const lock of locks) lock.release()
        },
      }
    }
    if (performance.now() >= deadline) throw inUse(places.workspace, readHolder(holder))
    await sleep(Math.min(POLL_MS, Math.max(1, deadline - performance.now())))
  }
}

/** True while a program writes in this workspace; nothing is kept. */
export function isWorkspaceLocked(places: LockPlaces): boolean {
  const name = createHash('sha256').update(places.workspace).digest('hex').slice(0, 32)
  const outcome = tryOsLockIn(join(places.profile, 'locks'), `${name}.lock`)
  if (outcome === undefined) return true
  outcome.release()
  return false
}

function tryOsLockIn(folder: string, name: string): OsLock | undefined {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const outcome = tryOsLock(join(folder, name))
  return outcome.kind === 'taken' ? undefined : outcome.kind === 'held' ? outcome.lock : { release: () => undefined }
}

/** All or none. Where no file can be locked at all, the holder's file decides by pid and start time. */
function takeAll(files: readonly string[], holder: string): OsLock[] | undefined {
  const locks: OsLock[] = []
  for (const file of files) {
    const outcome = tryOsLock(file)
    if (outcome.kind === 'held') locks.push(outcome.lock)
    if (outcome.kind === 'taken') {
      for (const lock of locks) lock.release()
      return undefined
    }
  }
  if (locks.length > 0 || !isAlive(readHolder(holder))) return locks
  return undefined
}

/** A process of that number which started at another time is another process. */
export function isAlive(identity: ProcessIdentity | undefined): boolean {
  if (identity === undefined || identity.pid === process.pid) return false
  try {
    process.kill(identity.pid, 0)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false
  }
  const started = startTimeOf(identity.pid)
  return identity.startTime === '' || started === undefined || started === identity.startTime
}

function writeHolder(file: string, identity: ProcessIdentity): void {
  const temporary = `${file}.${process.pid}.tmp`
  writeFileSync(temporary, JSON.stringify(identity), { mode: 0o600 })
  renameSync(temporary, file)
}

function readHolder(file: string): ProcessIdentity | undefined {
  try {
    return IdentitySchema.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data
  } catch {
    // Not there, or being replaced: the holder stays unnamed.
    return undefined
  }
}

function inUse(workspace: string, holder: ProcessIdentity | undefined): AppError {
  const who = holder === undefined ? 'another program' : `process ${holder.pid} on ${holder.host} since ${holder.since}`
  return new AppError({
    code: 'WORKSPACE_IN_USE',
    message: `${workspace} is in use by ${who}`,
    params: { path: workspace, ...(holder === undefined ? {} : { pid: holder.pid, host: holder.host, since: holder.since }) },
  })
}
