/**
 * The journal lies in the folder, where anybody may have written it: a clone, an archive, a program. A seal made with a key of the profile
 * says that this person's Metona wrote a line, for this folder; without it a line counts for nothing. Leaving sealed lines out, or
 * repeating them, can bring back no other text than one of ours.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { MemoryOperationSchema } from '#contracts/metona/memory-file.ts'
import { profileKey } from '#workers/shared/profile-key.ts'
import type { JournalEntry } from '../domain/merge-edit.ts'

const KEY_FILE = 'memory-journal.key'

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
    this.#key ??= profileKey(this.#profile, KEY_FILE, 'replace')
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
