/** The HTTP exchange over real sockets. */
import { createServer as createHttpServer, type Server } from 'node:http'
import { connect as connectTcp, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startFakeProvider, type FakeProvider, type FakeRawAnswer } from '#tests/helpers/fake-provider.ts'
import type { Deadlines } from '#workers/llm/adapters/awake-timer.ts'
import {
  createTransport,
  type ExchangeOptions,
  type ExchangeResult,
  type ResponseHead,
  type Transport,
} from '#workers/llm/adapters/transport.ts'

let fake: FakeProvider
let transport: Transport
beforeAll(async () => void (fake = await startFakeProvider()))
afterAll(() => fake.stop())
beforeEach(async () => {
  await fake.reset()
  transport = createTransport()
})
afterEach(() => transport.close())

const deadlines: Deadlines = { connectMs: 10_000, firstByteMs: 30_000, idleMs: 30_000, totalMs: 60_000, trailerMs: 30_000 }

interface Exchange {
  readonly result: ExchangeResult
  readonly text: string
  readonly head: ResponseHead | undefined
}

async function exchange(url: string, options: Partial<ExchangeOptions> = {}, over: Transport = transport): Promise<Exchange> {
  const parts: Uint8Array[] = []
  let head: ResponseHead | undefined
  const result = await over.exchange({
    url: new URL(url),
    method: 'POST',
    headers: {},
    body: '{}',
    deadlines,
    onHead: (received) => (head = received),
    state: () => 'reading',
    ...options,
    onBytes: (bytes) => {
      parts.push(bytes)
      return options.onBytes?.(bytes)
    },
  })
  return { result, text: Buffer.concat(parts).toString('utf8'), head }
}

const raw = (chunks: FakeRawAnswer['chunks'], more: Partial<FakeRawAnswer> = {}): FakeRawAnswer => ({ kind: 'raw', chunks, ...more })
const answers = (...list: FakeRawAnswer[]): Promise<void> => fake.script(list)

describe('bytes', () => {
  test('arrive as sent, with status and headers', async () => {
    await answers(raw([{ text: 'one ' }, { text: 'two' }], { status: 207, headers: { 'x-test': 'yes' } }))
    const { result, text, head } = await exchange(fake.baseUrl)
    expect([result, text, head?.status, head?.headers['x-test']]).toEqual([{ kind: 'ended' }, 'one two', 207, 'yes'])
  })

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])('12: a body compressed with %s, which nobody asked for, is decoded', async (encoding, compress) => {
    await answers(raw([{ base64: compress('data: 你好 🌍\n\n').toString('base64') }], { headers: { 'content-encoding': encoding } }))
    expect((await exchange(fake.baseUrl)).text).toBe('data: 你好 🌍\n\n')
  })

  test.each([1, 2, 20])('12: gzip without its header is known by its first bytes, %i at a time', async (size) => {
    const body = gzipSync('data: {"a":1}\n\n')
    const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, index) => ({
      base64: body.subarray(index * size, (index + 1) * size).toString('base64'),
    }))
    await answers(raw(chunks))
    const { result, text } = await exchange(fake.baseUrl)
    expect([result, text]).toEqual([{ kind: 'ended' }, 'data: {"a":1}\n\n'])
  })

  test('12: a compression that cannot be read says so', async () => {
    await answers(raw([{ text: 'this is no gzip at all' }], { headers: { 'content-encoding': 'gzip' } }))
    const { result } = await exchange(fake.baseUrl)
    expect(result).toMatchObject({ kind: 'broken', code: 'DECOMPRESSION' })
  })

  test('a compressed stream is decoded while it comes, not at its end', async () => {
    const whole = gzipSync('first')
    await answers(raw([{ base64: whole.subarray(0, -8).toString('base64') }], { headers: { 'content-encoding': 'gzip' }, finish: 'hang' }))
    const controller = new AbortController()
    const { text } = await exchange(fake.baseUrl, { signal: controller.signal, onBytes: () => controller.abort() })
    expect(text).toBe('first')
  })

  test('while the reader is not ready nothing more is read, and the provider feels it', async () => {
    const piece = 'x'.repeat(64 * 1024)
    const total = 64 * 1024 * 1024
    await answers(raw(Array.from({ length: total / piece.length }, () => ({ text: piece }))))
    let open: () => void = () => undefined
    let received = 0
    let seen: () => void = () => undefined
    const first = new Promise<void>((resolve) => (seen = resolve))
    const gate = new Promise<void>((resolve) => (open = resolve))
    const running = exchange(fake.baseUrl, {
      onBytes: (bytes) => {
        received += bytes.length
        seen()
        return gate
      },
    })
    await first
    // The kernel's buffers fill; then the provider stands still although it has megabytes left.
    let sent = -1
    for (let now = (await fake.requests())[0]?.bytesSent ?? 0; now !== sent; now = (await fake.requests())[0]?.bytesSent ?? 0) {
      sent = now
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    expect(sent).toBeLessThan(total / 2)
    expect(received).toBeLessThan(1024 * 1024)
    open()
    expect((await running).text.length).toBe(total)
  })
})

describe('the end', () => {
  test('a connection broken in the middle', async () => {
    await answers(raw([{ text: 'half' }], { finish: 'reset' }))
    const { result, text } = await exchange(fake.baseUrl)
    expect([result.kind, text]).toEqual(['broken', 'half'])
  })

  test('nobody listens', async () => {
    const server = createTcpServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    expect((await exchange(`http://127.0.0.1:${port}`)).result).toMatchObject({ kind: 'broken', code: 'ECONNREFUSED' })
  })

  test('a name that does not exist', async () => {
    const { result } = await exchange('http://no-such-host.invalid/')
    expect(result.kind === 'broken' && /ENOTFOUND|EAI_AGAIN|ECONN/.test(result.code)).toBe(true)
  })

  test('the reader has enough: the exchange ends at once although the socket stays open', async () => {
    await answers(raw([{ text: 'data: [DONE]\n\n' }], { finish: 'hang' }))
    let over = false
    const { result } = await exchange(fake.baseUrl, { onBytes: () => void (over = true), state: () => (over ? 'over' : 'reading') })
    expect(result).toEqual({ kind: 'ended' })
    await fake.waitFor('closed', 1)
  })

  test('a socket is used again for the next request', async () => {
    await answers(raw([{ text: 'a' }]), raw([{ text: 'b' }]))
    await exchange(fake.baseUrl)
    await exchange(fake.baseUrl)
    const ports = (await fake.requests()).map((request) => request.remotePort)
    expect(new Set(ports).size).toBe(1)
  })

  test('after a sleep idle sockets are not used again', async () => {
    await answers(raw([{ text: 'a' }]), raw([{ text: 'b' }]))
    await exchange(fake.baseUrl)
    transport.dropIdleSockets()
    await exchange(fake.baseUrl)
    expect(new Set((await fake.requests()).map((request) => request.remotePort)).size).toBe(2)
  })

  test('a kept socket that the server closed in the meantime is no failure', async () => {
    // Answers one request per connection with keep-alive and drops the connection when a second one comes.
    let connections = 0
    const server = createTcpServer((socket) => {
      connections += 1
      let requests = 0
      socket.on('error', () => undefined)
      socket.on('data', () => {
        requests += 1
        if (requests === 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok')
        else socket.resetAndDestroy()
      })
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const first = await exchange(url)
    const second = await exchange(url)
    server.close()
    expect([first.text, second.text, second.result, connections]).toEqual(['ok', 'ok', { kind: 'ended' }, 2])
  })
})

describe('stopping', () => {
  test('an abort closes the socket and says how long it took', async () => {
    await answers(raw([{ text: 'words' }], { finish: 'hang' }))
    const controller = new AbortController()
    const { result, text } = await exchange(fake.baseUrl, { signal: controller.signal, onBytes: () => controller.abort() })
    const [request] = await fake.waitFor('closed', 1)
    expect([result.kind, text, request?.closedByClientAt !== undefined]).toEqual(['aborted', 'words', true])
    expect(result.kind === 'aborted' ? result.socketClosedMs : NaN).toBeLessThan(2_000)
  })

  test('an abort before the connection stands', async () => {
    const controller = new AbortController()
    const running = exchange(fake.baseUrl, { signal: controller.signal })
    controller.abort()
    expect((await running).result.kind).toBe('aborted')
  })

  test('an abort beforehand opens no connection', async () => {
    const { result } = await exchange(fake.baseUrl, { signal: AbortSignal.abort() })
    expect([result, (await fake.requests()).length]).toEqual([{ kind: 'aborted', socketClosedMs: 0 }, 0])
  })

  test('an abort while the reader is not ready does not wait for it', async () => {
    await answers(raw([{ text: 'words' }], { finish: 'hang' }))
    const controller = new AbortController()
    const { result } = await exchange(fake.baseUrl, {
      signal: controller.signal,
      onBytes: () => {
        queueMicrotask(() => controller.abort())
        return new Promise<void>(() => undefined)
      },
    })
    expect(result.kind).toBe('aborted')
  })
})

describe('deadlines', () => {
  const short = (name: keyof Deadlines, milliseconds = 300): Deadlines => ({ ...deadlines, [name]: milliseconds })

  test('no first byte', async () => {
    await fake.script([{ kind: 'status', status: 200, body: 'late', delayMs: 30_000 }])
    expect((await exchange(fake.baseUrl, { deadlines: short('firstByteMs') })).result).toMatchObject({
      kind: 'broken',
      deadline: 'first_byte',
    })
  })

  test('headers alone are no first byte', async () => {
    await answers(raw([{ text: '' }], { finish: 'hang' }))
    expect((await exchange(fake.baseUrl, { deadlines: short('firstByteMs') })).result).toMatchObject({
      kind: 'broken',
      deadline: 'first_byte',
    })
  })

  test('silence in the middle', async () => {
    await answers(raw([{ text: 'words' }], { finish: 'hang' }))
    const { result, text } = await exchange(fake.baseUrl, { deadlines: short('idleMs') })
    expect([result, text]).toMatchObject([{ kind: 'broken', deadline: 'idle' }, 'words'])
  })

  test('any byte is life, a comment too', async () => {
    await answers(
      raw([{ text: 'a' }, ...Array.from({ length: 14 }, () => ({ text: ': keep-alive\n\n', delayMs: 300 })), { text: 'b', delayMs: 300 }]),
    )
    const { result } = await exchange(fake.baseUrl, { deadlines: short('idleMs', 3_000) })
    expect(result).toEqual({ kind: 'ended' })
  })

  test('the whole', async () => {
    await answers(raw([{ text: 'a' }, ...Array.from({ length: 200 }, () => ({ text: 'b', delayMs: 50 }))]))
    expect((await exchange(fake.baseUrl, { deadlines: short('totalMs', 500) })).result).toMatchObject({ kind: 'broken', deadline: 'total' })
  })

  test('after a finish only a short wait, and it is an end, no failure', async () => {
    await answers(raw([{ text: 'finish' }], { finish: 'hang' }))
    let finished = false
    const { result } = await exchange(fake.baseUrl, {
      deadlines: short('trailerMs'),
      onBytes: () => void (finished = true),
      state: () => (finished ? 'finished' : 'reading'),
    })
    expect(result).toEqual({ kind: 'ended' })
  })

  test('time in which this thread stood still does not count', async () => {
    await answers(raw([{ text: 'a' }, { text: 'b', delayMs: 2_400 }]))
    const { result } = await exchange(fake.baseUrl, {
      deadlines: short('idleMs', 2_000),
      onBytes: () => {
        // As a machine asleep: the clock runs on, nothing here does. The provider's next byte is there afterwards.
        const until = performance.now() + 3_000
        while (performance.now() < until);
      },
    })
    expect(result).toEqual({ kind: 'ended' })
  })
})

describe('proxies', () => {
  const closers: (() => void)[] = []
  afterEach(() => {
    for (const close of closers.splice(0)) close()
  })

  /** A proxy that writes down what it was asked for and answers everything itself. */
  async function startProxy(): Promise<{ url: string; asked: string[] }> {
    const asked: string[] = []
    const server: Server = createHttpServer((request, response) => {
      asked.push(`${request.method ?? ''} ${request.url ?? ''}`)
      response.end('through the proxy')
    })
    const sockets = new Set<Socket>()
    server.on('connect', (request, socket) => {
      asked.push(`CONNECT ${request.url ?? ''}`)
      // Whatever is asked for lies behind this proxy at the fake provider's port.
      const behind = connectTcp(Number(new URL(fake.baseUrl).port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
        behind.pipe(socket).pipe(behind)
      })
      sockets.add(behind)
      for (const end of [behind, socket]) end.on('error', () => undefined)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closers.push(() => {
      server.closeAllConnections()
      server.close()
      for (const socket of sockets) socket.destroy()
    })
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
  }

  test.each(['HTTP_PROXY', 'http_proxy'])('%s is used', async (variable) => {
    const proxy = await startProxy()
    const through = createTransport({ environment: { [variable]: proxy.url } })
    const { text } = await exchange('http://api.example.test/v1/x', {}, through)
    through.close()
    expect([text, proxy.asked.length]).toEqual(['through the proxy', 1])
    expect(proxy.asked[0]).toContain('api.example.test')
  })

  test('NO_PROXY is heeded', async () => {
    const proxy = await startProxy()
    const through = createTransport({ environment: { HTTP_PROXY: proxy.url, NO_PROXY: 'api.example.test' } })
    const { result } = await exchange('http://api.example.test/', {}, through)
    through.close()
    expect([result.kind, proxy.asked]).toEqual(['broken', []])
  })

  test('a server on this machine is never asked through a proxy', async () => {
    const proxy = await startProxy()
    await answers(raw([{ text: 'direct' }]))
    const through = createTransport({ environment: { HTTP_PROXY: proxy.url } })
    const { text } = await exchange(fake.baseUrl, {}, through)
    through.close()
    expect([text, proxy.asked]).toEqual(['direct', []])
  })

  test.each([
    ['PROXY ADDRESS;DIRECT', 'through the proxy'],
    ['SOCKS5 127.0.0.1:1; PROXY ADDRESS', 'through the proxy'],
  ])('the system says %s', async (answer, expected) => {
    const proxy = await startProxy()
    const asked: string[] = []
    const through = createTransport({
      resolveProxy: (url) => {
        asked.push(url)
        return Promise.resolve(answer.replace('ADDRESS', new URL(proxy.url).host))
      },
    })
    const texts = [
      await exchange('http://api.example.test/v1/x', {}, through),
      await exchange('http://api.example.test/v1/y', {}, through),
    ].map((one) => one.text)
    through.close()
    expect([texts, asked]).toEqual([[expected, expected], ['http://api.example.test']])
  })

  test.each(['DIRECT', 'SOCKS5 127.0.0.1:1', '', undefined])('the system says %j: straight there', async (answer) => {
    const through = createTransport({ resolveProxy: () => Promise.resolve(answer) })
    const { result } = await exchange('http://no-such-host.invalid/', {}, through)
    through.close()
    expect(result.kind === 'broken' && /ENOTFOUND|EAI_AGAIN/.test(result.code)).toBe(true)
  })

  test('the system is asked again after the network was changed, and after it failed to answer', async () => {
    const proxy = await startProxy()
    const said = [Promise.reject(new Error('busy')), Promise.resolve('DIRECT'), Promise.resolve(`PROXY ${new URL(proxy.url).host}`)]
    said[0]?.catch(() => undefined)
    const through = createTransport({ resolveProxy: () => said.shift() ?? Promise.resolve('DIRECT') })
    await expect(exchange('http://no-such-host.invalid/', {}, through)).rejects.toThrow('busy')
    const direct = await exchange('http://no-such-host.invalid/', {}, through)
    through.dropIdleSockets()
    const { text } = await exchange('http://no-such-host.invalid/', {}, through)
    through.close()
    expect([direct.result.kind, text, said.length]).toEqual(['broken', 'through the proxy', 0])
  })

  test('the environment wins over the system', async () => {
    const proxy = await startProxy()
    const through = createTransport({
      environment: { HTTP_PROXY: proxy.url },
      resolveProxy: () => Promise.reject(new Error('must not be asked')),
    })
    const { text } = await exchange('http://api.example.test/', {}, through)
    through.close()
    expect(text).toBe('through the proxy')
  })

  test('https goes through a tunnel of the proxy', async () => {
    const proxy = await startProxy()
    const through = createTransport({ environment: { HTTPS_PROXY: proxy.url } })
    // The fake provider speaks no TLS: the handshake inside the tunnel fails, the tunnel was asked for.
    const { result } = await exchange(
      'https://api.example.test/v1/x',
      { deadlines: { ...deadlines, connectMs: 3_000, firstByteMs: 3_000 } },
      through,
    )
    through.close()
    expect([result.kind, proxy.asked]).toEqual(['broken', ['CONNECT api.example.test:443']])
  })
})
