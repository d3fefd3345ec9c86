/**
 * The requests of an HTTP server: to the origin the person approved and nowhere else, through the proxy and with the
 * certificate authorities the rest of the app uses, every answer bounded.
 *
 * A name may lead into a private network, which is where companies keep theirs; it may not lead to this machine or to a
 * link-local address unless that is what was written down and approved.
 */
import { lookup as systemLookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Dispatcher } from 'undici'
import { isLoopback, type ProxySetting } from '#workers/shared/proxy-setting.ts'
import { useSystemCertificates } from '#workers/shared/system-certificates.ts'
import { McpFailure } from './mcp-failure.ts'
import { MESSAGE_LIMIT } from './message-guard.ts'

export interface GuardedFetch {
  readonly fetch: FetchLike
  close(): Promise<void>
}

export interface GuardedFetchOptions {
  readonly url: URL
  proxyFor(url: URL): Promise<ProxySetting>
  /** A body that answers a request ended; its id, whether the server lets it be resumed, and why we ended it. */
  streamEnded(id: string | number, resumable: boolean, failure: McpFailure | undefined): void
}

const CONNECT_MS = 10_000
const HEADERS_MS = 60_000
const HEADER_BYTES = 32 * 1024
/** Of what goes with a refusal only the beginning is ever shown. */
const REFUSAL_BYTES = 64 * 1024
/** Streams opened within ten seconds; a server that closes each at once would otherwise be asked for ever. */
const STREAMS = 20
const STREAM_WINDOW_MS = 10_000

const refused = new BlockList()
refused.addSubnet('127.0.0.0', 8, 'ipv4')
refused.addSubnet('0.0.0.0', 8, 'ipv4')
refused.addSubnet('169.254.0.0', 16, 'ipv4')
refused.addAddress('168.63.129.16', 'ipv4')
refused.addAddress('100.100.100.200', 'ipv4')
refused.addAddress('::1', 'ipv6')
refused.addAddress('::', 'ipv6')
refused.addSubnet('fe80::', 10, 'ipv6')

export async function createGuardedFetch(options: GuardedFetchOptions): Promise<GuardedFetch> {
  const { Agent, ProxyAgent, fetch, Response } = await import('undici')
  const { url } = options
  if (url.protocol === 'https:') await useSystemCertificates()
  const proxy = await options.proxyFor(url)
  const address = proxy.environment?.[url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY']
  const direct = address === undefined || isExempt(url.hostname, proxy.environment?.['NO_PROXY'])
  const common = {
    headersTimeout: HEADERS_MS,
    bodyTimeout: 0,
    maxHeaderSize: HEADER_BYTES,
    connect: { timeout: CONNECT_MS, lookup: guardedLookup(url.hostname) },
  }
  const dispatcher: Dispatcher = direct ? new Agent(common) : new ProxyAgent({ uri: address, headersTimeout: HEADERS_MS, bodyTimeout: 0 })
  const opened: number[] = []

  const guarded: FetchLike = async (target, init) => {
    const to = new URL(target)
    if (to.origin !== url.origin)
      throw new McpFailure('ADDRESS_REFUSED', `It wanted a request to ${to.origin}; only ${url.origin} was approved.`)
    if ((init?.method ?? 'GET') === 'GET') {
      const now = performance.now()
      while (opened.length > 0 && now - (opened[0] ?? 0) > STREAM_WINDOW_MS) opened.shift()
      opened.push(now)
      if (opened.length > STREAMS) throw new McpFailure('FLOOD', 'It closes every stream at once and wants it opened again.')
    }
    try {
      const response = await fetch(to, { ...(init as object), dispatcher, redirect: 'manual' })
      if (response.body === null) return response as unknown as globalThis.Response
      const { status, headers } = response
      if (!response.ok)
        return new Response(cut(response.body as ReadableStream) as never, { status, headers }) as unknown as globalThis.Response
      const streaming = headers.get('content-type')?.includes('text/event-stream') === true
      const asked = requestId(init?.body)
      const body = ReadableStream.from(
        bounded(response.body as AsyncIterable<Uint8Array>, streaming, (resumable, failure) => {
          if (asked !== undefined) options.streamEnded(asked, resumable, failure)
        }),
      )
      return new Response(body as never, { status, headers }) as unknown as globalThis.Response
    } catch (error) {
      throw explain(error, to)
    }
  }
  return { fetch: guarded, close: () => dispatcher.destroy() }
}

/** The beginning of a body; the rest is not even received. */
function cut(source: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let room = REFUSAL_BYTES
  return source.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        controller.enqueue(chunk.subarray(0, room))
        room -= Math.min(room, chunk.length)
        if (room === 0) controller.terminate()
      },
    }),
  )
}

/** Of an event stream each line is bounded, of anything else the whole. */
async function* bounded(
  source: AsyncIterable<Uint8Array>,
  streaming: boolean,
  ended: (resumable: boolean, failure: McpFailure | undefined) => void,
): AsyncGenerator<Uint8Array> {
  let size = 0
  let resumable = false
  let failure: McpFailure | undefined
  try {
    for await (const chunk of source) {
      const firstEnd = streaming ? chunk.indexOf(10) : -1
      size += firstEnd < 0 ? chunk.length : firstEnd
      if (size > MESSAGE_LIMIT) {
        resumable = false
        failure = new McpFailure('TOO_BIG', `It sent a message of more than ${MESSAGE_LIMIT / 1024 / 1024} MiB.`)
        throw failure
      }
      if (firstEnd >= 0) size = chunk.length - chunk.lastIndexOf(10) - 1
      // An event with an id can be asked for again.
      resumable ||= streaming && Buffer.from(chunk.buffer, chunk.byteOffset, Math.min(chunk.length, 4096)).includes('id:')
      yield chunk
    }
  } finally {
    ended(resumable, failure)
  }
}

function requestId(body: unknown): string | number | undefined {
  if (typeof body !== 'string') return undefined
  const message = JSON.parse(body) as { id?: string | number; method?: string }
  return message.method === undefined ? undefined : message.id
}

type LookupCallback = (error: Error | null, address: string | { address: string; family: number }[], family?: number) => void

/** Looks a name up once and gives the socket only addresses it may have; what is written as a number needs no look. */
function guardedLookup(approved: string): (hostname: string, options: { all?: boolean }, callback: LookupCallback) => void {
  return (hostname, { all }, callback) => {
    systemLookup(hostname, { all: true, verbatim: true }).then(
      (found) => {
        const bad = isLoopback(approved)
          ? undefined
          : found.find(({ address }) => refused.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4'))
        if (bad !== undefined)
          return callback(
            new McpFailure('ADDRESS_REFUSED', `${hostname} leads to ${bad.address}, this machine or its link; that was not approved.`),
            '',
          )
        const [first] = found
        if (first === undefined) return callback(new Error(`${hostname} has no address`), '')
        if (all === true) callback(null, found)
        else callback(null, first.address, first.family)
      },
      (error: Error) => callback(error, ''),
    )
  }
}

function isExempt(hostname: string, list: string | undefined): boolean {
  return (list ?? '')
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => entry === '*' || hostname === entry.replace(/^\./, '') || hostname.endsWith(`.${entry.replace(/^\*?\./, '')}`))
}

function explain(error: unknown, url: URL): unknown {
  let cause: unknown = error
  for (let depth = 0; cause instanceof Error && depth < 4; depth += 1) {
    if (cause instanceof McpFailure) return cause
    const { code } = cause as NodeJS.ErrnoException
    if (code !== undefined && /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code))
      return new McpFailure('BAD_CERTIFICATE', `The certificate of ${url.host} is not valid (${code}).`)
    if (code !== undefined && /^(E[A-Z]+|UND_ERR)/.test(code))
      return new McpFailure('UNREACHABLE', `${url.origin} cannot be reached (${code}). Is the server running?`)
    cause = cause.cause
  }
  return error
}
