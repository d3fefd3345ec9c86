import { realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '#contracts/wire/app-error.ts'
import { errorCodeOf } from './database-errors.ts'
import { trustFacts } from './folders/trust-facts.ts'
import { specialFolder } from './folders/special-folders.ts'
import type { Profile } from './profile/profile.ts'

/** The real path of a folder; `NOT_A_FOLDER` otherwise. Nothing in it is looked at. */
export function realFolder(path: string): string {
  try {
    const real = realpathSync.native(fromHome(path))
    if (statSync(real).isDirectory()) return real
  } catch (error) {
    throw new AppError({ code: 'NOT_A_FOLDER', message: `${path} cannot be opened as a folder (${errorCodeOf(error)})`, params: { path } })
  }
  throw new AppError({ code: 'NOT_A_FOLDER', message: `${path} is not a folder`, params: { path } })
}

/** People write `~` where no shell is there to read it. */
function fromHome(path: string): string {
  return path === '~' || /^~[\\/]/.test(path) ? join(homedir(), path.slice(1)) : path
}

/** `UNTRUSTED`, or `NEEDS_STORED_TRUST` for `/`, the home folder and network folders, which trust for one run does not open. */
export function checkTrust(real: string, trust: 'stored' | 'once', profile: Profile): void {
  if (profile.isTrusted(real)) return
  const kind = specialFolder(real)
  if (trust === 'stored')
    throw new AppError({
      code: 'UNTRUSTED',
      message: `${real} is not trusted`,
      // With a kind: trust for one run would not do.
      params: { path: real, ...(kind === undefined ? {} : { kind }) },
      details: trustFacts(real, kind),
    })
  if (kind !== undefined)
    throw new AppError({
      code: 'NEEDS_STORED_TRUST',
      message: `${real} (${kind}) must be trusted permanently before it is used`,
      params: { path: real, kind },
    })
}
