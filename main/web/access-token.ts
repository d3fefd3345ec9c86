/**
 * The secret of the web shell, kept in the profile so that a page outlives a restart, and the one-time codes that hand it
 * out in two halves: a cookie, which browsers send to every port of this machine, and a key that the page keeps for its
 * own origin. Either alone opens nothing.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { chmod, mkdir, open, readFile, rename } from 'node:fs/promises'
import path from 'node:path'

const FILE = 'web-shell.token'
/** Milliseconds a printed link can be used. */
const CODE_LIFETIME_MS = 15 * 60_000
const CODES_AT_ONCE = 8

export interface AccessToken {
  /** A fresh one-time code for a link. */
  newCode(): string
  /** True once for each code, within its lifetime. */
  redeem(code: string): boolean
  readonly cookieName: string
  readonly cookieValue: string
  /** For the page's own storage, handed over behind the `#` of the address, which no server sees. */
  readonly pageKey: string
  /** Compared in constant time. */
  isPageKey(value: string | undefined): boolean
  /** Whether a Cookie header carries its half. */
  matches(cookieHeader: string | undefined): boolean
}

/** @param profile the profile folder; the secret's file in it is readable by its owner only. */
export async function openAccessToken(profile: string, port: number, now: () => number = () => performance.now()): Promise<AccessToken> {
  const secret = await readOrMakeSecret(profile)
  // Cookies ignore the port: the name keeps two shells of one machine apart.
  const cookieName = `metona_${port}`
  const codes = new Map<string, number>()
  const cookieValue = half(secret, 'cookie')
  const pageKey = half(secret, 'page')
  const expected = digest(cookieValue)
  const expectedKey = digest(pageKey)
  return {
    cookieName,
    cookieValue,
    pageKey,
    isPageKey: (value) => value !== undefined && timingSafeEqual(digest(value), expectedKey),
    newCode: () => {
      for (const [code, expiry] of codes) if (expiry < now()) codes.delete(code)
      const oldest = codes.keys().next()
      if (codes.size >= CODES_AT_ONCE && !oldest.done) codes.delete(oldest.value)
      const code = randomBytes(24).toString('base64url')
      codes.set(code, now() + CODE_LIFETIME_MS)
      return code
    },
    redeem: (code) => {
      const expiry = codes.get(code)
      codes.delete(code)
      return expiry !== undefined && expiry >= now()
    },
    matches: (cookieHeader) => cookieValues(cookieHeader, cookieName).some((value) => timingSafeEqual(digest(value), expected)),
  }
}

function half(secret: string, name: string): string {
  return createHmac('sha256', secret).update(name).digest('hex')
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function cookieValues(header: string | undefined, name: string): string[] {
  return (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
}

async function readOrMakeSecret(profile: string): Promise<string> {
  const file = path.join(profile, FILE)
  try {
    const stored = (await readFile(file, 'utf8')).trim()
    if (/^[A-Za-z0-9_-]{43}$/.test(stored)) {
      await chmod(file, 0o600)
      return stored
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const secret = randomBytes(32).toString('base64url')
  await mkdir(profile, { recursive: true, mode: 0o700 })
  const temporary = `${file}.${process.pid}`
  const handle = await open(temporary, 'w', 0o600)
  await handle.writeFile(`${secret}\n`)
  await handle.sync()
  await handle.close()
  await rename(temporary, file)
  return secret
}
