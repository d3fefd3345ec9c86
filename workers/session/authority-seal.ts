/**
 * A session's permission mode, sandbox and base URL stand in its events, and those lie in the folder, where anybody may
 * have written them. A seal made with a key of the profile says that this person chose them here; without it they count
 * for nothing.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

export interface Authority {
  readonly permission: string
  readonly sandbox: string
  readonly baseUrl: string | undefined
}

const KEY_FILE = 'session-authority.key'

export class AuthoritySeal {
  readonly #profile: string
  #key: Promise<Buffer> | undefined

  constructor(profile: string) {
    this.#profile = profile
  }

  /** @returns hex. Rejects when the profile cannot be read or written. */
  async sign(sessionId: string, authority: Authority): Promise<string> {
    this.#key ??= readOrMakeKey(this.#profile)
    return createHmac('sha256', await this.#key)
      .update(JSON.stringify([sessionId, authority.permission, authority.sandbox, authority.baseUrl ?? null]))
      .digest('hex')
  }

  async verify(sessionId: string, authority: Authority, seal: string | undefined): Promise<boolean> {
    if (seal === undefined || !/^[0-9a-f]{64}$/.test(seal)) return false
    return timingSafeEqual(Buffer.from(await this.sign(sessionId, authority), 'hex'), Buffer.from(seal, 'hex'))
  }
}

async function readOrMakeKey(profile: string): Promise<Buffer> {
  const file = path.join(profile, KEY_FILE)
  try {
    await mkdir(profile, { recursive: true, mode: 0o700 })
    await writeFile(file, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600, flush: true })
  } catch (error) {
    // Another process was first, or it is there from an earlier run.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'hex')
  if (key.length !== 32) throw new Error(`${file} is damaged: remove it, and sessions ask for their permissions again`)
  return key
}
