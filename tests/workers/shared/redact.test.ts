import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor, noRedactor, secretsOfEnvironment } from '#workers/shared/redact.ts'
import { redactStream } from '#workers/shared/redact-stream.ts'

const CANARY = 'canary/+?="quote"\\back slash äöü 密钥 0123456789'
const redactor = createRedactor([{ name: 'TEST_API_KEY', value: CANARY }])

/** Encodings made by Node, not by the redactor. */
const ENCODINGS: Record<string, (value: string) => string> = {
  raw: (value) => value,
  'JSON-escaped': (value) => JSON.stringify(value).slice(1, -1),
  'JSON inside JSON': (value) => JSON.stringify(JSON.stringify(value).slice(1, -1)).slice(1, -1),
  'URL-encoded': (value) => encodeURIComponent(value),
  'form-encoded': (value) => new URLSearchParams({ value }).toString().slice('value='.length),
  'base64 alone': (value) => Buffer.from(value).toString('base64'),
  'base64url alone': (value) => Buffer.from(value).toString('base64url'),
}

describe('a known secret', () => {
  it.each(Object.entries(ENCODINGS))('is found %s', (_name, encode) => {
    const text = `before ${encode(CANARY)} after`
    expect(redactor.text(text)).toBe('before [redacted TEST_API_KEY] after')
    expect(noRedactor.text(text)).toContain(encode(CANARY))
  })

  it.each(['', 'a', 'ab', 'abc', 'user:'])('is found in the base64 of a longer text beginning with %j', (prefix) => {
    const whole = Buffer.from(`${prefix}${CANARY}tail`).toString('base64')
    const clean = redactor.text(`Authorization: Basic ${whole}`)
    expect(clean).toContain('[redacted TEST_API_KEY]')
    const decoded = Buffer.from(clean.replace(/^.*Basic /, '').replace('[redacted TEST_API_KEY]', ''), 'base64').toString('utf8')
    expect(decoded).not.toContain(CANARY.slice(4, 20))
  })

  it('is found in values and keys of objects, which keep their shape', () => {
    const value = { list: ['x', CANARY], [CANARY]: 1, deep: { text: `a ${CANARY} b`, number: 5, nothing: null } }
    expect(redactor.value(value)).toEqual({
      list: ['x', '[redacted TEST_API_KEY]'],
      '[redacted TEST_API_KEY]': 1,
      deep: { text: 'a [redacted TEST_API_KEY] b', number: 5, nothing: null },
    })
  })

  it('leaves a value without secrets as it is, the same object', () => {
    const value = { list: ['x'], deep: { text: 'plain' } }
    expect(redactor.value(value)).toBe(value)
  })

  it('shorter than eight characters is left alone, as it would blank out words', () => {
    expect(createRedactor([{ name: 'A_TOKEN', value: 'test' }]).text('a test of tests')).toBe('a test of tests')
  })

  it('comes from variables named like keys, in any spelling of the name', () => {
    expect(
      secretsOfEnvironment({
        DEEPSEEK_API_KEY: 'one',
        github_token: 'two',
        MY_APIKEY: 'three',
        DB_PASSWORD: 'four',
        TOKENS: 'no',
        PATH: '/bin',
        EMPTY_TOKEN: undefined,
      }).map((secret) => secret.name),
    ).toEqual(['DEEPSEEK_API_KEY', 'github_token', 'MY_APIKEY', 'DB_PASSWORD'])
  })
})

/** Made up, in the documented forms; joined here so that no scanner takes this file for a leak. */
const VENDOR_KEYS: [string, string][] = [
  ['openai', `sk-${'a1B2'.repeat(12)}`],
  ['openai project', `sk-proj-${'a1B2_-'.repeat(10)}`],
  ['anthropic', `sk-ant-api03-${'a1B2'.repeat(20)}`],
  ['github', `ghp_${'a1B2'.repeat(9)}`],
  ['github fine-grained', `github_pat_${'a1B2'.repeat(20)}`],
  ['gitlab', `glpat-${'a1B2'.repeat(5)}`],
  ['slack', `xoxb-${'1234567890-'.repeat(2)}abcdefABCDEF`],
  ['google', `AIza${'a1B2_'.repeat(7)}`],
  ['aws', `AKIA${'A1B2'.repeat(4)}`],
  ['huggingface', `hf_${'aBcD'.repeat(9)}`],
  ['npm', `npm_${'a1B2'.repeat(9)}`],
  ['stripe', `sk_live_${'a1B2'.repeat(6)}`],
  ['jwt', `eyJ${'hbGci'.repeat(4)}.eyJ${'zdWIi'.repeat(4)}.${'c2ln'.repeat(6)}`],
  ['private key', `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEabcd\n'.repeat(20)}-----END RSA PRIVATE KEY-----`],
]

describe('a vendor’s key', () => {
  it.each(VENDOR_KEYS)('%s is found without being known', (_vendor, key) => {
    expect(createRedactor([]).text(`config = "${key}"`)).toMatch(/^config = "\[redacted [a-z-]+\]"$/)
  })

  it.each([
    'task-force and risk-management',
    'the sk-learn package',
    'AKIAshort',
    'eyJhbGciOi',
    'https://example.com/path/to/thing-with-dashes',
    'npm_config_registry',
  ])('%s is none', (text) => {
    expect(createRedactor([]).text(text)).toBe(text)
  })
})

describe('the streaming redactor', () => {
  const pieces = (text: string, cuts: readonly number[]): string[] => {
    const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((left, right) => left - right)
    return [...places, text.length].map((end, index) => text.slice(index === 0 ? 0 : places[index - 1], end))
  }
  const stream = (chunks: readonly string[], from = redactor): string => {
    const sink = redactStream(from)
    return chunks.map((chunk) => sink.push(chunk)).join('') + sink.flush()
  }

  it('finds a secret cut at any place, in every encoding', () => {
    for (const encode of Object.values(ENCODINGS)) {
      const text = `before ${encode(CANARY)} after`
      const whole = redactor.text(text)
      for (let cut = 0; cut <= text.length; cut++) expect(stream([text.slice(0, cut), text.slice(cut)])).toBe(whole)
      expect(stream([...text])).toBe(whole)
    }
  })

  it('finds a vendor’s key that comes character by character', () => {
    for (const [, key] of VENDOR_KEYS) {
      const text = `x = ${key} ;`
      expect(stream([...text], createRedactor([]))).toBe(createRedactor([]).text(text))
    }
  })

  it('gives the text of no secret back whole, however it is cut', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.nat()), (text, cuts) => {
        expect(stream(pieces(text, cuts))).toBe(redactor.text(text))
      }),
    )
  })

  it('finds a secret that ends as it begins', () => {
    const twice = createRedactor([{ name: 'R', value: 'abcdefabcdef' }])
    expect(stream(['xxabcdefab', 'cdef'], twice)).toBe('xx[redacted R]')
    expect(stream(['abcdefabcdefabcdefabcdef'], twice)).toBe('[redacted R][redacted R]')
  })

  it('passes ordinary text on at once', () => {
    const sink = redactStream(redactor)
    expect(sink.push('An ordinary sentence. ')).toBe('An ordinary sentence. ')
  })
})

describe('what is secret in an environment', () => {
  it.each([
    ['DEEPSEEK_API_KEY', 'value-of-1', ['value-of-1']],
    ['AWS_SECRET_ACCESS_KEY', 'value-of-2', ['value-of-2']],
    ['PGPASSWORD', 'value-of-3', ['value-of-3']],
    ['DB_PASSWORD', 'value-of-3', ['value-of-3']],
    ['TOKEN', 'value-of-4', ['value-of-4']],
    ['MONKEY', 'value-of-5', []],
    ['HTTPS_PROXY', 'http://user:proxy-pass%21@proxy.example:3128', ['proxy-pass%21', 'proxy-pass!']],
    ['X_BASE_URL', 'https://api.example/v1?api-version=2024-02-01&api-key=abc%2Fdef&sig=s1g', ['abc%2Fdef', 'abc/def', 's1g']],
    ['X_BASE_URL', 'https://user@api.example/path:1?model=key', []],
    ['EDITOR', 'vi', []],
  ])('%s=%s', (name, value, secrets) => {
    expect(secretsOfEnvironment({ [name]: value }).map((secret) => secret.value)).toEqual(secrets)
  })
})
