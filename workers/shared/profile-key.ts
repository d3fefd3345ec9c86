/**
 * A secret of the profile: what is sealed with it was written by this person's Metona, whatever folder it lies in. Read or made at once,
 * on the thread that asks, the first time something is sealed.
 */
import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const KEY_BYTES = 32

/**
 * Two processes that make it at the same time get the same one, and neither reads half of it.
 * @param whenDamaged `replace`: what was sealed with it counts as foreign from now on.
 * @throws when the profile cannot be read or written, or the key is damaged and may not be replaced; the message says what to do
 */
export function profileKey(profile: string, name: string, whenDamaged: 'replace' | { readonly refuse: string }): Buffer {
  const file = join(profile, name)
  const present = readKey(file)
  if (Buffer.isBuffer(present)) return present
  if (present === 'damaged') {
    if (whenDamaged !== 'replace') throw new Error(`${file} is damaged: ${whenDamaged.refuse}`)
    rmSync(file, { force: true })
  }
  mkdirSync(profile, { recursive: true, mode: 0o700 })
  makeKey(file)
  const key = readKey(file)
  if (!Buffer.isBuffer(key)) throw new Error(`${file} cannot be read`)
  return key
}

function makeKey(file: string): void {
  const fresh = randomBytes(KEY_BYTES).toString('hex')
  const temporary = `${file}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`
  try {
    writeFileSync(temporary, fresh, { flag: 'wx', mode: 0o600, flush: true })
    linkSync(temporary, file)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return
    // A disk that knows no links.
    writeUnlessThere(file, fresh)
  } finally {
    rmSync(temporary, { force: true })
  }
}

function writeUnlessThere(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600, flush: true })
  } catch (error) {
    // Another process was first.
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

function readKey(file: string): Buffer | 'absent' | 'damaged' {
  try {
    const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex')
    return key.length === KEY_BYTES ? key : 'damaged'
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 'absent'
    throw error
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}
