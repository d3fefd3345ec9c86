import { closeSync, constants, fstatSync, ftruncateSync, openSync } from 'node:fs'
import DatabaseConstructor, { type Database } from 'better-sqlite3'
import { AppError } from '#contracts/wire/app-error.ts'
import { classifyFault, errorCodeOf } from '../database-errors.ts'

/** Released by `release`, by the end of the thread, and by the death of the process: it cannot be left behind. */
export interface OsLock {
  release(): void
}

export type OsLockOutcome =
  | { readonly kind: 'held'; readonly lock: OsLock }
  | { readonly kind: 'taken' }
  | { readonly kind: 'impossible'; readonly reason: string }

/**
 * Takes the operating system's lock on an empty file, by way of SQLite, which is at hand and locks on every platform.
 * What a file contains can neither fake nor free such a lock, so one that lies in a foreign folder harms nobody.
 */
export function tryOsLock(file: string): OsLockOutcome {
  try {
    emptyRegularFile(file)
  } catch (error) {
    if (error instanceof AppError) throw error
    return { kind: 'impossible', reason: errorCodeOf(error) }
  }
  let database: Database | undefined
  try {
    database = new DatabaseConstructor(file, { timeout: 0 })
    // Nothing is ever written: the file stays empty and needs no journal beside it.
    database.pragma('journal_mode = MEMORY')
    database.exec('BEGIN IMMEDIATE')
    const held = database
    return { kind: 'held', lock: { release: () => void held.close() } }
  } catch (error) {
    database?.close()
    return classifyFault(error) === 'busy' ? { kind: 'taken' } : { kind: 'impossible', reason: errorCodeOf(error) }
  }
}

function emptyRegularFile(file: string): void {
  let fd: number
  try {
    fd = openSync(file, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0), 0o600)
  } catch (error) {
    if (errorCodeOf(error) === 'ELOOP' || errorCodeOf(error) === 'EISDIR') throw unsafe(file)
    throw error
  }
  try {
    const stat = fstatSync(fd)
    if (!stat.isFile() || stat.nlink > 1) throw unsafe(file)
    // Foreign bytes are cut off in place; a new file under the same name would be a second lock.
    if (stat.size > 0) ftruncateSync(fd, 0)
  } finally {
    closeSync(fd)
  }
}

function unsafe(file: string): AppError {
  return new AppError({ code: 'UNSAFE_FILE', message: `${file} is a link or not a regular file`, params: { path: file } })
}
