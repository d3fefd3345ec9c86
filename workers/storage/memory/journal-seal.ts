/**
 * The journal lies in the folder, where anybody may have written it: a clone, an archive, a program. A seal made with a key of the profile
 * says that this person's Metona wrote a line, for this folder; without it a line counts for nothing. Leaving sealed lines out, or
 * repeating them, can bring back no other text than one of ours.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MemoryOperationSchema } from '#contracts/metona/memory-file.ts'
import type { JournalEntry } from '../domain/merge-edit.ts'
import { errorCodeOf } from '../database-errors.ts'
import { placeNew } from './memory-file-io.ts'

const KEY_FILE = 'memory-journal.key'
const KEY_BYTES = 32

export class JournalSeal {
  readonly #profile: string
  readonly #root: string
  #key: Buffer | undefined

  /** @param root the workspace, by its real path. */
  constructor(profile: string, root: string) {
    this.#profile = profile
    this.#root = root
  }

  /** @returns hex. Throws when the profile cannot be read or written. */
  sign({ operation, after, stamp }: JournalEntry): string {
    this.#key ??= readOrMakeKey(this.#profile)
    // Parsed, so that the order of its fields is always the same.
    const done = operation === undefined ? null : MemoryOperationSchema.parse(operation)
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([this.#root, done, after, stamp ?? null]))
      .digest('hex')
  }

  isOurs(entry: JournalEntry, seal: string): boolean {
    if (!/^[0-9a-f]{64}$/.test(seal)) return false
    return timingSafeEqual(Buffer.from(this.sign(entry), 'hex'), Buffer.from(seal, 'hex'))
  }
}

function readOrMakeKey(profile: string): Buffer {
  const file = join(profile, KEY_FILE)
  const present = readKey(file)
  if (Buffer.isBuffer(present)) return present
  mkdirSync(profile, { recursive: true, mode: 0o700 })
  // Worth nothing: what was sealed with it counts as foreign from now on.
  if (present === 'damaged') rmSync(file, { force: true })
  const fresh = randomBytes(KEY_BYTES).toString('hex')
  const temporary = `${file}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`
  try {
    writeFileSync(temporary, fresh, { flag: 'wx', mode: 0o600, flush: true })
    placeNew(temporary, file, fresh, 0o600)
  } catch (error) {
    // Another process was first.
    if (errorCodeOf(error) !== 'EEXIST') throw error
  } finally {
    rmSync(temporary, { force: true })
  }
  const key = readKey(file)
  if (!Buffer.isBuffer(key)) throw new Error(`${file} cannot be read`)
  return key
}

function readKey(file: string): Buffer | 'absent' | 'damaged' {
  try {
    const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex')
    return key.length === KEY_BYTES ? key : 'damaged'
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return 'absent'
    throw error
  }
}
