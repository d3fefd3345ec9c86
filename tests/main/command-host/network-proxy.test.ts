/** The proxy by itself, over real sockets: what is passed on, what is refused and why. The names are made up; the servers listen here. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { NetworkRefusal } from '#contracts/tools/allowed-domains.ts'
import { dialPublic, type ProxyNetwork } from '#main/command-host/dial-public.ts'
import { serveAllowedDomains, type NetworkProxy } from '#main/command-host/network-proxy.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { realHello } from './real-hello.ts'

const [cert, key] = ['domains.pem', 'domains.key'].map((name) =>
  readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), 'utf8'),
)
const DOMAINS = [
  'allowed.test',
  '*.wide.test',
  'odd.test:8443',
  'inside.test',
  'rebinding.test',
  'metadata.test',
  'mapped.test',
  'nowhere.test',
]
const PUBLIC = '93.184.216.34'
const ADDRESSES: Readonly<Record<string, string[]>> = {
  'inside.test': ['127.0.0.1'],
  'rebinding.test': [PUBLIC, '10.0.0.7'],
  'metadata.test': ['169.254.169.254'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'nowhere.test': [],
}

let web: Server
let secure: Server
let listener: Server
let proxy: NetworkProxy
/** `METHOD host path body` of each request that a server got. */
const reached: string[] = []
let refusals: NetworkRefusal[] = []
let dialled: string[] = []

const port = (server: Server): number => (server.address() as AddressInfo).port
const network: ProxyNetwork = {
  lookup: async (host) => ADDRESSES[host] ?? [PUBLIC],
  dial: (address, wanted) => {
    dialled.push(`${address}:${wanted}`)
    return { host: '127.0.0.1', port: port([443, 8443].includes(wanted) ? secure : web) }
  },
}

beforeAll(async () => {
  const take = (incoming: IncomingMessage, response: ServerResponse): void => {
    let body = ''
    incoming.on('data', (chunk: Buffer) => (body += chunk.toString()))
    incoming.on('end', () => {
      reached.push(`${incoming.method} ${incoming.headers.host} ${incoming.url} ${body}`.trim())
      response.setHeader('x-got', JSON.stringify(incoming.headers))
      response.end(`hello from ${incoming.headers.host}\n`)
    })
  }
  web = createHttp(take).listen(0, '127.0.0.1')
  secure = createHttps({ cert, key }, take).listen(0, '127.0.0.1')
  listener = createServer().listen(0, '127.0.0.1')
  await Promise.all([web, secure, listener].map((server) => once(server, 'listening')))
  proxy = serveAllowedDomains(listener, DOMAINS, network, (refusal) => refusals.push(refusal))
})
afterAll(() => {
  proxy.close()
  web.close()
  secure.close()
})
beforeEach(() => {
  reached.length = 0
  refusals = []
  dialled = []
})

/** Everything that comes back until the other side closes. */
async function raw(text: string, listening = port(listener)): Promise<string> {
  const socket = connect(listening, '127.0.0.1')
  let answer = ''
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')))
  socket.on('error', () => {})
  socket.write(text, 'latin1')
  const idle = setInterval(() => socket.end(), 1_500)
  await once(socket, 'close')
  clearInterval(idle)
  return answer
}

/** A tunnel; then TLS in it, asking for `name`. @returns the answer of the server, or why there is none. */
async function tls(target: string, name: string | undefined): Promise<string> {
  const socket = connect(port(listener), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`)
  const [first] = (await once(socket, 'data')) as [Buffer]
  if (!first.toString().startsWith('HTTP/1.1 200')) return first.toString()
  const inner = connectTls({ socket, ca: cert, ...(name === undefined ? {} : { servername: name }), rejectUnauthorized: false })
  let answer = ''
  inner.on('data', (chunk: Buffer) => (answer += chunk.toString()))
  const failed = once(inner, 'error').then(([error]) => `failed: ${(error as Error).message}`)
  inner.write(`GET /tls HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`)
  return Promise.race([once(inner, 'close').then(() => (answer === '' ? 'failed: closed' : answer)), failed])
}

const get = (url: string, headers = `Host: ${new URL(url).host}`): Promise<string> =>
  raw(`GET ${url} HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`)

describe('passed on', () => {
  test('plain HTTP: one request, its own headers only', async () => {
    const answer = await raw(
      'POST http://allowed.test/a?b=c HTTP/1.1\r\nHost: allowed.test\r\nContent-Length: 4\r\nX-Own: 1\r\nProxy-Authorization: Basic x\r\nConnection: X-Hop, close\r\nX-Hop: 1\r\n\r\nbody',
    )
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*hello from allowed\.test\n/)
    expect(reached).toEqual(['POST allowed.test /a?b=c body'])
    const got = JSON.parse(/x-got: (.*)\r/i.exec(answer)?.[1] ?? '') as Record<string, string>
    expect(Object.keys(got).sort()).toEqual(['connection', 'content-length', 'host', 'x-own'])
    expect([refusals, dialled]).toEqual([[], [`${PUBLIC}:80`]])
  })

  test('a body in chunks', async () => {
    await raw(
      'POST http://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n',
    )
    expect(reached).toEqual(['POST allowed.test / abcde'])
  })

  test('several requests on one connection, each looked at by itself', async () => {
    const answer = await raw(
      'GET http://allowed.test/1 HTTP/1.1\r\nHost: allowed.test\r\n\r\nGET http://denied.test/2 HTTP/1.1\r\nHost: denied.test\r\n\r\n',
    )
    expect(reached).toEqual(['GET allowed.test /1'])
    expect(answer).toMatch(/200 OK[^]*403 Forbidden/)
  })

  test('TLS that asks for the same name, whatever its case', async () => {
    expect(await tls('allowed.test:443', 'allowed.test')).toContain('hello from allowed.test')
    expect(await tls('ALLOWED.test.:443', 'Allowed.Test')).toContain('hello from Allowed.Test')
    expect(await tls('a.b.wide.test:443', 'a.b.wide.test')).toContain('hello from a.b.wide.test')
    expect(await tls('odd.test:8443', 'odd.test')).toContain('hello from odd.test')
    expect(refusals).toEqual([])
  })

  test('plain HTTP in a tunnel, looked at request by request', async () => {
    const answer = await raw(
      'CONNECT allowed.test:80 HTTP/1.1\r\nHost: allowed.test:80\r\n\r\nGET /in HTTP/1.1\r\nHost: allowed.test\r\n\r\nGET /other HTTP/1.1\r\nHost: denied.test\r\n\r\n',
    )
    expect(reached).toEqual(['GET allowed.test /in'])
    expect(answer).toMatch(/200 Connection established[^]*200 OK[^]*403 Forbidden/)
    expect(refusals).toEqual([{ host: 'allowed.test', port: 80, reason: 'mismatch' }])
  })
})

describe('refused, nothing dialled', () => {
  test.each([
    ['denied.test', 'domain'],
    ['sub.allowed.test', 'domain'],
    ['allowed.test.evil.test', 'domain'],
    ['evilallowed.test', 'domain'],
    ['wide.test', 'domain'],
    ['evilwide.test', 'domain'],
    ['allowed.test:22', 'port'],
    ['allowed.test:8443', 'port'],
    ['odd.test', 'port'],
    ['127.0.0.1', 'name'],
    ['2130706433', 'name'],
    ['0x7f.1', 'name'],
    ['[::1]', 'name'],
    ['93.184.216.34', 'name'],
    ['localhost', 'name'],
    ['user@allowed.test', 'name'],
    ['allowed.test%00.evil.test', 'name'],
    ['allowed.test/x', 'name'],
  ])('CONNECT %s: %s', async (target, reason) => {
    const [, named] = /(:\d+)$/.exec(target.replace(/^\[.*\]/, '')) ?? []
    const answer = await raw(`CONNECT ${named === undefined ? `${target}:443` : target} HTTP/1.1\r\nHost: x\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden/)
    expect(refusals.map((refusal) => refusal.reason)).toEqual([reason])
    expect([reached, dialled]).toEqual([[], []])
  })

  test.each([
    ['http://denied.test/', 'Host: denied.test', 'domain'],
    ['http://denied.test/', 'Host: allowed.test', 'mismatch'],
    ['http://allowed.test/', 'Host: denied.test', 'mismatch'],
    ['http://allowed.test/', 'Host: allowed.test:8080', 'mismatch'],
    ['http://allowed.test/', 'Host: allowed.test\r\nHost: denied.test', 'mismatch'],
    ['http://user:pw@allowed.test/', 'Host: allowed.test', 'mismatch'],
    // The reader of addresses has made a number of it by then.
    ['http://2130706433/', 'Host: 2130706433', 'mismatch'],
    ['http://127.0.0.1/', 'Host: 127.0.0.1', 'name'],
    ['http://allowed.test:81/', 'Host: allowed.test:81', 'port'],
    ['https://allowed.test/', 'Host: allowed.test', 'name'],
    ['ftp://allowed.test/', 'Host: allowed.test', 'name'],
  ])('GET %s with %s: %s', async (url, headers, reason) => {
    expect(await get(url, headers)).toMatch(/^HTTP\/1\.1 4\d\d/)
    if (!headers.includes('\r\n')) expect(refusals.map((refusal) => refusal.reason)).toEqual([reason])
    expect([reached, dialled]).toEqual([[], []])
  })

  test.each([
    ['two lengths', 'POST http://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\nContent-Length: 3\r\nContent-Length: 40\r\n\r\nabc'],
    [
      'length and chunks',
      'POST http://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET http://denied.test/ HTTP/1.1\r\nHost: denied.test\r\n\r\n',
    ],
    ['a space before the colon', 'GET http://allowed.test/ HTTP/1.1\r\nHost : allowed.test\r\n\r\n'],
    ['a folded header', 'GET http://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\nX-A: 1\r\n b\r\n\r\n'],
    ['no Host', 'GET http://allowed.test/ HTTP/1.1\r\n\r\n'],
    ['a bare line feed', 'GET http://allowed.test/ HTTP/1.1\nHost: denied.test\r\n\r\n'],
    ['a path alone', 'GET / HTTP/1.1\r\nHost: allowed.test\r\n\r\n'],
    ['no HTTP at all', 'SSH-2.0-OpenSSH_9\r\n'],
    [
      'a chunk with an odd length',
      'POST http://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n',
    ],
  ])('%s', async (_name, text) => {
    expect(await raw(text)).toMatch(/^HTTP\/1\.1 4\d\d/)
    expect(reached).toEqual([])
  })
})

describe('by what the name leads to, or what is asked inside', () => {
  test.each(['inside.test', 'rebinding.test', 'metadata.test', 'mapped.test'])('%s leads inside', async (host) => {
    expect(await raw(`CONNECT ${host}:443 HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 403/)
    expect(await get(`http://${host}/`)).toMatch(/^HTTP\/1\.1 403/)
    expect(refusals).toEqual([443, 80].map((number) => ({ host, port: number, reason: 'address' })))
    expect([reached, dialled]).toEqual([[], []])
  })

  test('a name without address is no refusal', async () => {
    expect(await raw('CONNECT nowhere.test:443 HTTP/1.1\r\nHost: x\r\n\r\n')).toMatch(/^HTTP\/1\.1 502/)
    expect(refusals).toEqual([])
  })

  test('TLS for another name, for none, or something else than TLS in the tunnel', async () => {
    expect(await tls('allowed.test:443', 'denied.test')).toMatch(/^failed/)
    expect(await tls('a.wide.test:443', 'b.wide.test')).toMatch(/^failed/)
    expect(await tls('allowed.test:443', undefined)).toMatch(/^failed/)
    expect(await raw('CONNECT allowed.test:443 HTTP/1.1\r\nHost: x\r\n\r\nSSH-2.0-OpenSSH_9\r\n')).toMatch(/established[^]*400 Bad Request/)
    expect(await raw('CONNECT allowed.test:443 HTTP/1.1\r\nHost: x\r\n\r\n\x16\x03\x01\x00\x05\x02\x00\x00\x01\x00')).toMatch(
      /established[^]*403/,
    )
    expect(reached).toEqual([])
    expect(refusals.map(({ host, reason }) => `${host} ${reason}`)).toEqual([
      'allowed.test mismatch',
      'a.wide.test mismatch',
      'allowed.test mismatch',
      'allowed.test mismatch',
    ])
  })

  test('an address that differs from the one that was looked at', async () => {
    const elsewhere: ProxyNetwork = { lookup: async () => [PUBLIC], dial: () => ({ host: 'localhost', port: port(web) }) }
    await expect(dialPublic('allowed.test', 80, elsewhere)).rejects.toThrow('allowed.test')
  })

  test('half a hello and then nothing: an answer, and nothing is held', async () => {
    const arrived = once(secure, 'connection') as Promise<[Socket]>
    const socket = connect(port(listener), '127.0.0.1')
    socket.write('CONNECT allowed.test:443 HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'data')
    const [outside] = await arrived
    const gone = once(outside, 'close')
    socket.write('\x16\x03', 'latin1')
    socket.end()
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 502/)
    await gone
    expect(outside.destroyed).toBe(true)
  })

  test.each(['client', 'proxy'])('a connection made when the %s is gone already is closed', async (who) => {
    let answerLookup = (_addresses: string[]): void => {}
    let asked = (): void => {}
    const lookedUp = new Promise<void>((resolve) => (asked = resolve))
    const slow: ProxyNetwork = {
      ...network,
      lookup: async () => {
        asked()
        return new Promise((resolve) => (answerLookup = resolve))
      },
    }
    const own = createServer().listen(0, '127.0.0.1')
    await once(own, 'listening')
    const served = serveAllowedDomains(own, DOMAINS, slow, () => {})
    const socket = connect(port(own), '127.0.0.1')
    socket.on('error', () => {})
    socket.write('CONNECT allowed.test:443 HTTP/1.1\r\nHost: x\r\n\r\n')
    await lookedUp
    if (who === 'proxy') served.close()
    else await once(socket.resetAndDestroy(), 'close')
    const arrived = once(secure, 'connection') as Promise<[Socket]>
    answerLookup([PUBLIC])
    const [outside] = await arrived
    await once(outside, 'close')
    expect(outside.destroyed).toBe(true)
    served.close()
  })
})

describe('whatever a server does', () => {
  /** Answers as `respond` does instead of the usual servers. */
  async function against(respond: (socket: Socket) => void, use: (listening: number) => Promise<void>): Promise<void> {
    const odd = createServer(respond).listen(0, '127.0.0.1')
    const own = createServer().listen(0, '127.0.0.1')
    await Promise.all([odd, own].map((server) => once(server, 'listening')))
    const served = serveAllowedDomains(own, DOMAINS, { ...network, dial: () => ({ host: '127.0.0.1', port: port(odd) }) }, () => {})
    await use(port(own))
    served.close()
    odd.close()
  }
  const REQUEST = 'GET http://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\nConnection: close\r\n\r\n'

  test.each([
    ['a status below 100', 'HTTP/1.1 099 Odd', 502],
    ['a change of protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade', 502],
    ['a control character in the text of the status', 'HTTP/1.1 200 O\x01K', 200],
    ['no HTTP', 'hello', 502],
  ])('%s: an answer, and the next request is served', async (_what, head, status) => {
    const heads = [`${head}\r\nContent-Length: 0\r\n\r\n`, 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine']
    await against(
      (socket) => socket.on('error', () => {}).once('data', () => socket.end(heads.shift() ?? '', 'latin1')),
      async (listening) => {
        expect(await raw(REQUEST, listening)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
        expect(await raw(REQUEST, listening)).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*fine$/)
      },
    )
  })

  test('a server that closes while its answer is queued for a slow client: the client gets all of it', async () => {
    const hello = await realHello('allowed.test')
    let outside: Socket | undefined
    await against(
      (socket) => (outside = socket.on('error', () => {}).resume()),
      async (listening) => {
        // The proxy's own end of the connection: only there one sees what it has queued.
        let inside: Socket | undefined
        const take = (message: unknown): void => {
          const { socket } = message as { socket: Socket }
          if (socket.localPort === listening) inside = socket
        }
        subscribe('net.server.socket', take)
        const client = connect(listening, '127.0.0.1')
        client.write('CONNECT allowed.test:443 HTTP/1.1\r\nHost: x\r\n\r\n')
        const [established] = (await once(client, 'data')) as [Buffer]
        unsubscribe('net.server.socket', take)
        client.pause()
        client.write(hello)
        await eventually('both ends are known', () => inside !== undefined && outside !== undefined)
        const [queue, server] = [inside, outside] as [Socket, Socket]
        let sent = 0
        while (queue.writableLength === 0) {
          server.write(Buffer.alloc(16 * 1024))
          sent += 16 * 1024
          while (queue.bytesWritten < established.length + sent) await setImmediate()
        }
        server.end()
        await once(server, 'close')
        let got = 0
        client.on('data', (chunk: Buffer) => (got += chunk.length)).resume()
        await once(client, 'close')
        expect(got).toBe(sent)
      },
    )
  })

  test('an address that does not answer: the next one is tried', async () => {
    const other = '2606:2800:220:1::1'
    const closed = createServer().listen(0, '127.0.0.1')
    await once(closed, 'listening')
    const nobody = port(closed)
    closed.close()
    await once(closed, 'close')
    const socket = await dialPublic('allowed.test', 80, {
      lookup: async () => [other, PUBLIC],
      dial: (address) => ({ host: '127.0.0.1', port: address === other ? port(web) : nobody }),
    })
    expect(socket.remotePort).toBe(port(web))
    socket.destroy()
  })
})

test('what a command makes up as a name is told with the length of a name', async () => {
  await raw(`CONNECT ${'a'.repeat(9_000)}:443 HTTP/1.1\r\nHost: x\r\n\r\n`)
  await get(`http://${'b'.repeat(9_000)}/`)
  await get('https://allowed.test/')
  expect(refusals.map(({ host, port: number }) => [host.length, number])).toEqual([
    [253, 443],
    [253, 80],
    ['allowed.test'.length, 443],
  ])
})

test('control: with everything allowed the denied name is reached', async () => {
  const open = createServer().listen(0, '127.0.0.1')
  await once(open, 'listening')
  const free = serveAllowedDomains(open, ['*.denied.test', 'denied.test'], network, (refusal) => refusals.push(refusal))
  const socket = connect(port(open), '127.0.0.1')
  socket.write('GET http://denied.test/ HTTP/1.1\r\nHost: denied.test\r\nConnection: close\r\n\r\n')
  await eventually('the request arrives', () => reached.length === 1)
  expect(reached).toEqual(['GET denied.test /'])
  free.close()
  socket.destroy()
})
