/** How allowed names are written, and which places they cover. */
import { expect, test } from 'vitest'
import { ALLOWED_DOMAIN, domainFor, hostName, refusalOf } from '#contracts/tools/allowed-domains.ts'

test.each([
  'registry.npmjs.org',
  '*.example.com',
  'example.com:8443',
  '*.a.example.com:8443',
  'xn--fiq228c.example',
  'a-b.example',
  '1.example',
  'nowhere.test',
])('%s can be allowed', (text) => expect(ALLOWED_DOMAIN.test(text)).toBe(true))

test.each([
  '127.0.0.1',
  '1.2.3.4:80',
  '0x7f.1',
  '[::1]',
  '::1',
  'localhost',
  '*',
  '*.com',
  '*.*.example.com',
  'a.*.example.com',
  '.example.com',
  'example.com.',
  'example..com',
  '-a.example.com',
  'a-.example.com',
  'EXAMPLE.com',
  'https://example.com',
  'example.com/',
  'example.com:0',
  'example.com:https',
  'user@example.com',
  'exa mple.com',
  'example.com\n',
  '中文.example',
  `${'a'.repeat(64)}.example`,
  `${'a.'.repeat(130)}example`,
  '',
])('%j cannot', (text) => expect(ALLOWED_DOMAIN.test(text)).toBe(false))

test.each([
  ['Example.COM', 'example.com'],
  ['example.com.', 'example.com'],
  ['a.b', 'a.b'],
  ['example.com..', undefined],
  ['1.2.3.4', undefined],
  ['localhost', undefined],
  ['exa_mple.com', undefined],
])('the host %s is %s', (text, host) => expect(hostName(text)).toBe(host))

test.each<[string[], string, number, 'domain' | 'port' | undefined]>([
  [['a.example'], 'a.example', 443, undefined],
  [['a.example'], 'a.example', 80, undefined],
  [['a.example'], 'a.example', 8443, 'port'],
  [['a.example:8443'], 'a.example', 8443, undefined],
  [['a.example:8443'], 'a.example', 443, 'port'],
  [['a.example:8443', 'a.example'], 'a.example', 443, undefined],
  [['a.example'], 'x.a.example', 443, 'domain'],
  [['a.example'], 'xa.example', 443, 'domain'],
  [['*.a.example'], 'x.a.example', 443, undefined],
  [['*.a.example'], 'x.y.a.example', 443, undefined],
  [['*.a.example'], 'a.example', 443, 'domain'],
  [['*.a.example'], 'xa.example', 443, 'domain'],
  [[], 'a.example', 443, 'domain'],
])('%j: %s on port %i is %s', (domains, host, port, refusal) => expect(refusalOf(domains, host, port)).toBe(refusal))

test('what is offered is what has to be allowed', () => {
  expect([domainFor({ host: 'a.example', port: 80 }), domainFor({ host: 'a.example', port: 81 })]).toEqual(['a.example', 'a.example:81'])
})
