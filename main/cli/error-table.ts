/** Every failure a terminal can show, by its code. */
import { COMMAND_LINE_ERRORS } from './errors/command-line-errors.ts'
import type { ErrorEntry } from './errors/error-entry.ts'
import { MACHINERY_ERRORS } from './errors/machinery-errors.ts'
import { PROFILE_ERRORS } from './errors/profile-errors.ts'
import { TURN_ERRORS } from './errors/turn-errors.ts'

export const ERROR_TABLE: Readonly<Record<string, ErrorEntry>> = {
  ...COMMAND_LINE_ERRORS,
  ...PROFILE_ERRORS,
  ...TURN_ERRORS,
  ...MACHINERY_ERRORS,
}

/** Codes that mean the same to a person as another. */
const SAME_AS: Readonly<Record<string, string>> = {
  ENOSPC: 'DISK_FULL',
  SQLITE_FULL: 'DISK_FULL',
  EDQUOT: 'DISK_FULL',
  EPERM: 'EACCES',
  UNSAFE_FILE: 'UNSAFE_WORKSPACE',
  READ_ONLY: 'WORKSPACE_READ_ONLY',
  NEWER_SCHEMA: 'NEWER_DATABASE',
  NO_DATA: 'NO_DATABASE',
  UNKNOWN_CONFIG_KEY: 'UNKNOWN_KEY',
  BAD_CONFIG_VALUE: 'BAD_VALUE',
  CONFIG_SCOPE: 'PROFILE_ONLY',
  CONFIG_ONLY_TIGHTENS: 'ONLY_TIGHTENS',
  STORAGE_BACKLOG: 'DISK_FULL',
  STORAGE_CLOSED: 'STORAGE_FAILED',
  SEQ_CONFLICT: 'STORAGE_FAILED',
  SQLITE_CORRUPT: 'STORAGE_FAILED',
  LOG_BEHIND: 'STORAGE_FAILED',
  HOST_STOPPING: 'WORKER_LOST',
  EROFS: 'WORKSPACE_READ_ONLY',
  SQLITE_BUSY: 'DATABASE_BUSY',
  SQLITE_LOCKED: 'DATABASE_BUSY',
  NOT_FOUND: 'NOT_A_FOLDER',
  SESSION_NOT_OPEN: 'SESSION_NOT_FOUND',
  CONTEXT_TOO_LARGE: 'context_length_exceeded',
  MAX_ITERATIONS: 'max_iterations',
  TURN_TIMEOUT: 'timeout',
}

export function errorEntry(code: string): ErrorEntry {
  const own = Object.hasOwn(ERROR_TABLE, code) ? ERROR_TABLE[code] : undefined
  return own ?? ERROR_TABLE[SAME_AS[code] ?? 'INTERNAL'] ?? (ERROR_TABLE['INTERNAL'] as ErrorEntry)
}
