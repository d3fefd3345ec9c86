/**
 * A session's permission mode, sandbox and base URL stand in its events, and those lie in the folder, where anybody may
 * have written them. A seal made with a key of the profile says that this person chose them here; without it they count
 * for nothing.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { profileKey } from '#workers/shared/profile-key.ts'

export interface Authority {
  readonly permission: string
  readonly sandbox: string
  readonly baseUrl: string | undefined
}

const KEY_FILE = 'session-authority.key'
const WHEN_DAMAGED = { refuse: 'remove it, and sessions ask for their permissions again' }

export class AuthoritySeal {
  readonly #profile: string
  #key: Buffer | undefined

  constructor(profile: string) {
    this.#profile = profile
  }

  /** @returns hex. Rejects when the profile cannot be read or written. */
  async sign(sessionId: string, authority: Authority): Promise<string> {
    this.#key ??= profileKey(this.#profile, KEY_FILE, WHEN_DAMAGED)
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([sessionId, authority.permission, authority.sandbox, authority.baseUrl ?? null]))
      .digest('hex')
  }

  async verify(sessionId: string, authority: Authority, seal: string | undefined): Promise<boolean> {
    if (seal === undefined || !/^[0-9a-f]{64}$/.test(seal)) return false
    return timingSafeEqual(Buffer.from(await this.sign(sessionId, authority), 'hex'), Buffer.from(seal, 'hex'))
  }
}
