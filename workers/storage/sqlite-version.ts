import DatabaseConstructor from 'better-sqlite3'
import { AppError } from '#contracts/wire/app-error.ts'

/** Earlier ones can lose committed pages when a WAL is reset. */
const OLDEST = [3, 51, 3] as const

let version: string | undefined

/** The version of the SQLite in use; `SQLITE_TOO_OLD` when it is one with the WAL-reset fault. */
export function supportedSqlite(): string {
  version ??= readVersion()
  const parts = version.split('.').map(Number)
  for (const [index, least] of OLDEST.entries()) {
    const part = parts[index] ?? 0
    if (part > least) break
    if (part < least)
      throw new AppError({ code: 'SQLITE_TOO_OLD', message: `SQLite ${version} is older than ${OLDEST.join('.')}`, params: { version } })
  }
  return version
}

function readVersion(): string {
  const database = new DatabaseConstructor(':memory:')
  try {
    return database.prepare<[], { version: string }>('SELECT sqlite_version() AS version').get()?.version ?? '0'
  } finally {
    database.close()
  }
}
