/**
 * One HTTP exchange, on Node's own client: it starts faster than an HTTP library, costs two thirds of the
 * CPU of `fetch` per streamed byte, and hands out the socket, so that an abort can prove that it is closed.
 */
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { AbortSignalLike } from '#contracts/metona/metona-adapter.ts'
import { DeadlineWatch, type DeadlineName, type Deadlines } from './awake-timer.ts'
import { createProxies } from '#workers/shared/proxy-setting.ts'
import { useSystemCertificates } from '#workers/shared/system-certificates.ts'
import { decompressor } from './decompress.ts'

export interface ExchangeOptions {
  readonly url: URL
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly deadlines: Deadlines
  readonly signal?: AbortSignalLike | undefined
  onHead(head: ResponseHead): void
  /** Decoded bytes in order. While a returned promise is open nothing more is read. */
  onBytes(bytes: Uint8Array): void | Promise<void>
  /** Asked after each read: `over` ends the exchange well, `finished` shortens the wait for more. */
  state(): 'reading' | 'finished' | 'over'
}

export interface ResponseHead {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
}

export type ExchangeResult =
  /** `over` was said or the body ended as HTTP has it. */
  | { readonly kind: 'ended' }
  /** Broken before or within the answer. `code` is the system's (`ECONNREFUSED`) or `DEADLINE`. */
  | { readonly kind: 'broken'; readonly code: string; readonly message: string; readonly deadline?: DeadlineName }
  | { readonly kind: 'aborted'; readonly socketClosedMs: number }

export interface Transport {
  exchange(options: ExchangeOptions): Promise<ExchangeResult>
  /** Drops idle sockets: after a sleep they are dead on the other side. */
  dropIdleSockets(): void
  close(): void
}

export interface TransportOptions {
  /** `HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY` in either case. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined
  /**
   * The system's word for an address, PAC style (`PROXY host:port;DIRECT`), where the shell knows it; asked only
   * when the environment names no proxy, once per origin. undefined: there is nobody to ask.
   */
  readonly resolveProxy?: ((url: string) => Promise<string | undefined>) | undefined
}

/** A kept socket may die in the moment it is used again; that is no answer of the provider. */
const MAX_STALE_REPEATS = 2

export function createTransport(options: TransportOptions = {}): Transport {
  const agents = new Map<string, Agent>()
  const proxies = createProxies(options.environment, options.resolveProxy)

  const agentFor = async (url: URL): Promise<{ agent: Agent; request: RequestFunction }> => {
    const secure = url.protocol === 'https:'
    const client = secure ? await import('node:https') : await import('node:http')
    const proxy = await proxies.for(url)
    const name = `${url.protocol} ${proxy.name}`
    let agent = agents.get(name)
    if (agent === undefined) {
      if (secure) await useSystemCertificates()
      agent = new client.Agent({
        keepAlive: true,
        keepAliveMsecs: 30_000,
        maxFreeSockets: 16,
        scheduling: 'lifo',
        ...(proxy.environment === undefined ? {} : { proxyEnv: proxy.environment }),
      })
      agents.set(name, agent)
    }
    return { agent, request: client.request }
  }

  const exchange = async (ask: ExchangeOptions): Promise<ExchangeResult> => {
    const client = await agentFor(ask.url)
    for (let repeat = 0; ; repeat += 1) {
      const { result, stale } = await exchangeOnce(ask, client.agent, client.request)
      if (!stale || repeat >= MAX_STALE_REPEATS) return result
    }
  }

  const dropAll = (): void => {
    for (const agent of agents.values()) agent.destroy()
    agents.clear()
  }
  const dropIdleSockets = (): void => {
    dropIdle(agents.values())
    proxies.forget()
  }
  return { exchange, dropIdleSockets, close: dropAll }
}

function dropIdle(agents: Iterable<Agent>): void {
  for (const agent of agents) {
    for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
  }
}

type RequestFunction = (options: RequestOptions, onResponse: (response: IncomingMessage) => void) => ClientRequest

function exchangeOnce(ask: ExchangeOptions, agent: Agent, send: RequestFunction): Promise<{ result: ExchangeResult; stale: boolean }> {
  return new Promise((resolve) => {
    if (ask.signal?.aborted === true) return resolve({ result: { kind: 'aborted', socketClosedMs: 0 }, stale: false })
    let response: IncomingMessage | undefined
    let socket: Socket | undefined
    let settled = false
    const body = ask.body === undefined ? undefined : Buffer.from(ask.body)
    const request = send(
      {
        protocol: ask.url.protocol,
        hostname: ask.url.hostname.replace(/^\[|\]$/g, ''),
        ...(ask.url.port === '' ? {} : { port: ask.url.port }),
        path: ask.url.pathname + ask.url.search,
        method: ask.method,
        agent,
        headers: { ...ask.headers, ...(body === undefined ? {} : { 'content-length': String(body.length) }) },
      },
      receive,
    )
    const watch = new DeadlineWatch(ask.deadlines, (name) => {
      if (name === 'trailer') return finish({ kind: 'ended' })
      finish({ kind: 'broken', code: 'DEADLINE', deadline: name, message: deadlineSentence(name, ask.deadlines) })
    })

    function settle(result: ExchangeResult, stale = false): void {
      if (settled) return
      settled = true
      watch.stop()
      ask.signal?.removeEventListener('abort', onAbort)
      resolve({ result, stale })
    }
    /** Ends the exchange and the socket with it. */
    function finish(result: ExchangeResult): void {
      settle(result)
      request.destroy()
    }
    function onAbort(): void {
      if (settled) return
      settled = true
      watch.stop()
      const began = performance.now()
      const done = (): void => resolve({ result: { kind: 'aborted', socketClosedMs: performance.now() - began }, stale: false })
      if (socket === undefined || socket.destroyed) done()
      else socket.once('close', done)
      request.destroy()
    }
    ask.signal?.addEventListener('abort', onAbort, { once: true })

    request.on('socket', (assigned) => {
      socket = assigned
      if (!assigned.connecting) watch.enter('waiting')
      else assigned.once(ask.url.protocol === 'https:' ? 'secureConnect' : 'connect', () => watch.enter('waiting'))
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      const code = error.code ?? 'REQUEST_FAILED'
      // Nothing of this answer was read and the socket was not new: the other side had already closed it.
      const stale = response === undefined && request.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')
      settle({ kind: 'broken', code, message: systemMessage(error) }, stale)
    })
    request.end(body)

    function receive(received: IncomingMessage): void {
      response = received
      if (settled) return void received.destroy()
      watch.enter('waiting')
      const headers = Object.fromEntries(
        Object.entries(received.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
      )
      ask.onHead({ status: received.statusCode ?? 0, headers })
      const decode = decompressor(headers['content-encoding'], deliver)
      let reading = Promise.resolve()
      received.on('data', (chunk: Buffer) => {
        watch.alive()
        const waiting = decode.write(chunk)
        if (waiting === undefined) return
        // Backpressure: the socket is not read while the reader is not ready.
        received.pause()
        watch.pause(true)
        reading = waiting.then(() => {
          watch.pause(false)
          watch.alive()
          received.resume()
        })
      })
      received.on('end', () => void reading.then(() => decode.end()).then(closeWell, breakOff))
      received.on(
        'error',
        (error: NodeJS.ErrnoException) =>
          void reading
            .then(() => decode.end())
            .then(
              () =>
                settle({
                  kind: 'broken',
                  code: error.code ?? 'ECONNRESET',
                  message: 'the connection was closed in the middle of the answer',
                }),
              breakOff,
            ),
      )
      decode.onError(breakOff)

      function deliver(bytes: Uint8Array): void | Promise<void> {
        if (settled || bytes.length === 0) return
        const waiting = ask.onBytes(bytes)
        const state = ask.state()
        if (state === 'finished') watch.enter('finished')
        if (state === 'over') leave()
        return waiting
      }
      /** The answer is whole; what still comes is read away for a moment, so that the socket can be used again. */
      function leave(): void {
        if (settled) return
        settle({ kind: 'ended' })
        received.resume()
        const late = setTimeout(() => request.destroy(), 1_000)
        late.unref()
        received.once('close', () => clearTimeout(late))
      }
      function closeWell(): void {
        settle({ kind: 'ended' })
      }
      function breakOff(error: unknown): void {
        finish({
          kind: 'broken',
          code: 'DECOMPRESSION',
          message: `the answer's compression could not be read (${error instanceof Error ? error.message : String(error)})`,
        })
      }
    }
  })
}

function deadlineSentence(name: DeadlineName, deadlines: Deadlines): string {
  const seconds = (milliseconds: number): string => `${Math.round(milliseconds / 100) / 10} s`
  switch (name) {
    case 'connect':
      return `no connection within ${seconds(deadlines.connectMs)}`
    case 'first_byte':
      return `no answer within ${seconds(deadlines.firstByteMs)}`
    case 'idle':
      return `silence for ${seconds(deadlines.idleMs)} in the middle of the answer`
    case 'total':
      return `the answer took longer than ${seconds(deadlines.totalMs)}`
    case 'trailer':
      return `nothing more within ${seconds(deadlines.trailerMs)}`
  }
}

/** With several addresses tried the message is empty and the causes are inside. */
function systemMessage(error: Error): string {
  if (error.message !== '') return error.message
  const inner = (error as Error & { errors?: unknown }).errors
  return Array.isArray(inner) ? inner.map((one) => (one instanceof Error ? one.message : String(one))).join('; ') : error.name
}
