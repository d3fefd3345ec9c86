import { expect, test } from 'vitest'
import { checkGate, type GateRequest } from '#main/web/web-gate.ts'

const PORT = 4567
const OWN = `http://127.0.0.1:${PORT}`
const good: GateRequest = { kind: 'page', method: 'GET', headers: { host: `127.0.0.1:${PORT}` }, port: PORT, hasToken: true }
const call: GateRequest = {
  ...good,
  kind: 'call',
  method: 'POST',
  headers: { ...good.headers, origin: OWN, 'content-type': 'application/json' },
}
const socket: GateRequest = { ...good, kind: 'socket', headers: { ...good.headers, origin: OWN } }
const withHeaders = (request: GateRequest, headers: GateRequest['headers']): GateRequest => ({
  ...request,
  headers: { ...request.headers, ...headers },
})

const TABLE: [string, GateRequest, number][] = [
  ['a page of ours', good, 200],
  ['a page with same-origin fetch metadata', withHeaders(good, { 'sec-fetch-site': 'same-origin' }), 200],
  ['a typed address', withHeaders(good, { 'sec-fetch-site': 'none' }), 200],
  ['no token', { ...good, hasToken: false }, 401],
  ['another host, our port', withHeaders(good, { host: `evil.com:${PORT}` }), 421],
  ['host 0.0.0.0', withHeaders(good, { host: `0.0.0.0:${PORT}` }), 421],
  ['host without port', withHeaders(good, { host: '127.0.0.1' }), 421],
  ['host localhost with a dot', withHeaders(good, { host: `localhost.:${PORT}` }), 421],
  ['no host', withHeaders(good, { host: undefined }), 421],
  ['two hosts', withHeaders(good, { host: [`127.0.0.1:${PORT}`, 'evil.com'] }), 421],
  ['origin null', withHeaders(good, { origin: 'null' }), 403],
  ['another origin', withHeaders(good, { origin: 'http://evil.com' }), 403],
  ['another local port', withHeaders(good, { origin: 'http://127.0.0.1:1' }), 403],
  ['our origin as a prefix', withHeaders(good, { origin: `${OWN}.evil.com` }), 403],
  ['our origin over https', withHeaders(good, { origin: `https://127.0.0.1:${PORT}` }), 403],
  ['localhost origin at the 127.0.0.1 host', withHeaders(good, { origin: `http://localhost:${PORT}` }), 403],
  ['cross-site', withHeaders(good, { 'sec-fetch-site': 'cross-site' }), 403],
  ['same-site (another port)', withHeaders(good, { 'sec-fetch-site': 'same-site' }), 403],
  ['a call with origin', call, 200],
  ['a call with fetch metadata only', withHeaders(call, { origin: undefined, 'sec-fetch-site': 'same-origin' }), 200],
  ['a call with neither', withHeaders(call, { origin: undefined }), 403],
  ['a call typed as an address', withHeaders(call, { 'sec-fetch-site': 'none' }), 403],
  ['a call as text', withHeaders(call, { 'content-type': 'text/plain' }), 415],
  ['a call as a form', withHeaders(call, { 'content-type': 'application/x-www-form-urlencoded' }), 415],
  ['a call without type', withHeaders(call, { 'content-type': undefined }), 415],
  ['a call with charset', withHeaders(call, { 'content-type': 'application/json; charset=utf-8' }), 200],
  ['a call by GET', { ...call, method: 'GET' }, 405],
  ['a preflight', { ...call, method: 'OPTIONS' }, 403],
  ['a page by POST', { ...good, method: 'POST' }, 405],
  ['a socket of ours', socket, 200],
  ['a socket of another origin', withHeaders(socket, { origin: 'http://evil.com' }), 403],
  ['a socket without origin', withHeaders(socket, { origin: undefined }), 403],
  ['a socket without token', { ...socket, hasToken: false }, 401],
  ['a socket at another host', withHeaders(socket, { host: `evil.com:${PORT}` }), 421],
]

for (const [name, request, status] of TABLE) {
  test(`${name}: ${status}`, () => expect(checkGate(request)).toBe(status))
}
