import type { Banners } from './banners.ts'
import type { DatabaseFault } from './database-errors.ts'

/** Codes of banners that stand while a fault lasts. */
export const FAULT_BANNERS = ['DATABASE_BUSY', 'DISK_FULL', 'WORKSPACE_READ_ONLY', 'DISK_FAULT', 'DATABASE_REPAIR'] as const

/** Says why nothing is written at the moment, and that nothing is lost by it. */
export function faultBanner(banners: Banners, fault: DatabaseFault, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error)
  for (const code of FAULT_BANNERS) banners.clear(code)
  switch (fault) {
    case 'busy':
      return banners.set('warning', 'DATABASE_BUSY', 'Another program holds the database. Writing goes on by itself when it lets go.', {
        reason,
      })
    case 'full':
      return banners.set(
        'error',
        'DISK_FULL',
        'The disk is full. What happened is kept in memory and is written as soon as there is room.',
        { reason },
      )
    case 'read_only':
      return banners.set(
        'error',
        'WORKSPACE_READ_ONLY',
        'The workspace cannot be written at the moment. Writing goes on by itself when it can.',
        { reason },
      )
    case 'corrupt':
      return banners.set('error', 'DATABASE_REPAIR', 'The database was found damaged while in use and is being made anew.', { reason })
    case 'io':
    case 'other':
      return banners.set('error', 'DISK_FAULT', 'The disk reports an error. Writing is tried again.', { reason })
  }
}
