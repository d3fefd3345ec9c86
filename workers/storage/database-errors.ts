/** What a failed statement means for whoever waits for it. */
export type DatabaseFault = 'busy' | 'full' | 'read_only' | 'corrupt' | 'io' | 'other'

/** SQLite's extended code, an errno, or an empty string. */
export function errorCodeOf(thrown: unknown): string {
  if (thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string') return thrown.code
  return ''
}

/** Sorts a thrown error. All but `other` pass when the cause does, so the work is kept and repeated. */
export function classifyFault(thrown: unknown): DatabaseFault {
  const code = errorCodeOf(thrown)
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED') || code === 'SQLITE_PROTOCOL') return 'busy'
  if (code === 'SQLITE_FULL' || code === 'ENOSPC' || code === 'EDQUOT') return 'full'
  if (
    code.startsWith('SQLITE_READONLY') ||
    code.startsWith('SQLITE_CANTOPEN') ||
    code === 'EROFS' ||
    code === 'EACCES' ||
    code === 'EPERM' ||
    code === 'SQLITE_PERM'
  )
    return 'read_only'
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB' || code === 'SQLITE_FORMAT') return 'corrupt'
  if (code.startsWith('SQLITE_IOERR') || code === 'EIO' || code === 'ENOENT' || code === 'ESTALE' || code === 'ENOTCONN') return 'io'
  return 'other'
}
