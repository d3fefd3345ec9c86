/** What is refused as a memory, with its reason, and what is not. */
import { describe, expect, it } from 'vitest'
import { createRedactor } from '#workers/shared/redact.ts'
import { INVISIBLE } from '#workers/shared/visible-text.ts'
import { hasHiddenCharacters } from '#workers/storage/domain/hidden-characters.ts'
import { textProblem } from '#workers/storage/domain/memory-text.ts'
import { isSecretText } from '#workers/storage/domain/secret-text.ts'
import { memoryTextProblem } from '#workers/storage/memory/check-memory-text.ts'

const redactor = createRedactor([{ name: 'KNOWN', value: 'known-Secret-0042' }])
const problem = (text: string) => memoryTextProblem(text, 2_000, redactor)
const wide = (text: string): string => text.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0))

const SECRETS = [
  'DB_PASSWORD=hunter2!',
  'export DB_PASSWORD="hunter2!"',
  'dbPassword: hunter2!',
  'POSTGRES_PASSWORD=correcthorse',
  'postgres://app:S3cr3t!@10.0.0.1/x',
  'redis://:S3cr3t@cache:6379',
  'https://deploy:ghx-77aa@git.example/repo.git',
  'token: 9f8e7d6c5b4a3210',
  'the deploy token is 9f8e7d6c5b4a3210',
  '"refresh_token": "9f8e7d6c5b4a3210"',
  'MY_SECRET=abc123def456',
  'secret => abc123def456',
  'aws_secret_access_key = wJalrXUtnFEMIK7MDENG',
  'Authorization: Basic dXNlcjpwYXNz',
  'authorization: Bearer abc123def456',
  'curl -H "Authorization: Token 9f8e7d6c5b4a3210"',
  'bearer 9f8e7d6c5b4a3210abcd',
  'mysql --password hunter2! db',
  'the password is hunter2!x',
  'password：hunter2!',
  '数据库密码是 hunter2!',
  '令牌: 9f8e7d6c5b4a3210',
  'sk-0123456789abcdefghijklmn',
  'https://api.example/v1?api_key=abc123def456',
  'known-Secret-0042',
]
const ORDINARY = [
  'the token budget is 200k',
  'token: 200k at most',
  'tokens: 128000 for each turn',
  'password rotation is monthly',
  'passwords are hashed with argon2id',
  'The password is required!',
  'the password is stored in 1Password',
  'the API key is in OPENAI_API_KEY',
  'api_key: $OPENAI_API_KEY',
  'DB_PASSWORD=${DB_PASSWORD}',
  'DB_PASSWORD=$(pass show db)',
  'API_KEY=<your key here>',
  'token: process.env.GITHUB_TOKEN1',
  'password=********',
  'connect with postgres://user:password@localhost/db',
  'see https://example.com/a:b@c and mailto:a@b.example',
  'the host is https://example.com:8080/a@b',
  'Basic authentication is off; Authorization: Basic auth is not used',
  'uses bearer tokens for the API',
  'the secret of good tests is isolation',
  'the secret sauce: caching',
  'credentials: see the team vault',
  '密码策略：至少 8 位，每 90 天更换',
  '令牌预算是 200000',
  'private key rotation happens in May 2027',
  'keyboard: ISO-DE105keys',
]

describe('a secret is refused', () => {
  it.each(SECRETS)('%s', (text) => void expect(problem(text)).toBe('secret'))
  it.each(SECRETS)('in full width: %s', (text) => void expect(problem(wide(text))).toBe('secret'))
  it.each(SECRETS)(
    'as a part of an item: %s',
    (text) => void expect(problem(`[环境] for staging: ${text} (ask before use)`)).toBe('secret'),
  )
})

describe('an ordinary sentence is kept', () => {
  it.each(ORDINARY)('%s', (text) => void expect(problem(text)).toBeUndefined())
  it.each(ORDINARY)('as a part of an item: %s', (text) => void expect(problem(`[note] ${text}`)).toBeUndefined())
})

it.each(['a', 'aA', 'token:', 'token=', 'a://', 'PASSWORD_', 'password is ', '令牌是', '😀\u200d', 'bearer '])(
  'a line of a megabyte is read in good time: %s',
  (part) => {
    const before = performance.now()
    problem(part.repeat(1_000_000 / part.length))
    isSecretText(part.repeat(1_000_000 / part.length))
    expect(performance.now() - before).toBeLessThan(5_000)
  },
)

describe('characters that hide', () => {
  it('are refused, every one that is shown when a person decides', () => {
    const kept: string[] = []
    let refused = 0
    for (let code = 0; code <= 0x10_ffff; code++) {
      const character = String.fromCodePoint(code)
      if (!INVISIBLE.test(character) || character === '\n' || character === '\t') continue
      if (hasHiddenCharacters(`a${character}b`)) refused++
      else kept.push(code.toString(16))
    }
    expect(kept).toEqual([])
    expect(refused).toBeGreaterThan(100_000)
  })

  it.each([
    ['soft hyphen', '\u00ad'],
    ['Arabic letter mark', '\u061c'],
    ['selectors', '\u{e0100}\u{e0123}'],
    ['tags', '\u{e0041}'],
    ['joiner', '\u200d'],
    ['zero width space', '\u200b'],
  ])('%s', (_name, character) => {
    expect([textProblem(`run${character}this`, 500), textProblem(`葛${character}`, 500), textProblem(`😀${character}`, 500)]).toEqual(
      Array.from({ length: 3 }, () => 'control_characters'),
    )
  })

  it.each(['👨‍👩‍👧‍👦 family', '❤️ likes it', '👩🏽‍💻', '🏳️‍🌈', '1️⃣ first', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '👩‍❤‍👨', '☺︎', '©️', '🇩🇪', 'می‌خواهم', 'क्‍ष'])(
    'are fine where they belong: %s',
    (text) => void expect(textProblem(text, 500)).toBeUndefined(),
  )
})
