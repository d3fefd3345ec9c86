/** One page over HTTP: every hop checked, the dialled address checked, body, time and hops bounded. */
import { lookup as systemLookup } from 'node:dns/promises'
import type { Socket } from 'node:net'
import { awakeTimeout } from '#contracts/wire/awake-timeout.ts'
import { ToolError } from '../domain/tool-error.ts'
import { isPublicAddress } from './allowed-address.ts'
import { checkUrl, refuseAddress } from './check-url.ts'

export interface FetchNetwork {
  /** All addresses of a name. */
  lookup(host: string): Promise<string[]>
  /** Where to open the socket for an address that passed; only tests differ. */
  dial(address: string, port: number): { host: string; port: number }
}

export interface FetchedPage {
  readonly url: string
  readonly status: number
  readonly contentType: string
  readonly body: Buffer
  /** The page is longer than the bound. */
  readonly cut: boolean
  readonly hops: readonly string[]
}

const MAX_HOPS = 5
const BODY_LIMIT = 5 * 1024 * 1024
const CONNECT_MS = 10_000
const HEADERS_MS = 15_000
const IDLE_MS = 15_000
const TOTAL_MS = 60_000
const HEADER_BYTES = 32 * 1024

export const systemNetwork: FetchNetwork = {
  lookup: async (host) => (await systemLookup(host, { all: true, verbatim: true })).map((entry) => entry.address),
  dial: (address, port) => ({ host: address, port }),
}

/** @throws ToolError for everything that goes wrong; the signal's reason when stopped. */
export async function fetchPage(
  start: string,
  signal: AbortSignal,
  network: FetchNetwork = systemNetwork,
  totalMs = TOTAL_MS,
): Promise<FetchedPage> {
  const { Agent, request, buildConnector } = await import('undici')
  // Waking time only: what a sleeping machine missed is no delay of the server. The client's own clocks count by ticks, too.
  const overdue = new AbortController()
  const stopWaiting = awakeTimeout(() => overdue.abort(), totalMs)
  const stop = AbortSignal.any([signal, overdue.signal])
  let problem: ToolError | undefined
  const connectTls = buildConnector({ timeout: CONNECT_MS })
  // An agent per page: no socket of an earlier page, opened for another name's address, is ever reused.
  const agent = new Agent({
    pipelining: 0,
    headersTimeout: HEADERS_MS,
    bodyTimeout: IDLE_MS,
    maxHeaderSize: HEADER_BYTES,
    connect: (options, callback) => {
      void resolvePublic(options.hostname, network).then(
        (address) => {
          const port = Number(options.port || (options.protocol === 'https:' ? 443 : 80))
          const place = network.dial(address, port)
          connectTls(
            {
              ...options,
              hostname: place.host,
              port: String(place.port),
              ...(options.protocol === 'https:' ? { servername: options.servername ?? options.hostname } : {}),
            },
            (...outcome) => {
              const [error, socket] = outcome
              if (error !== null) return callback(error, null)
              const dialled = (socket as Socket).remoteAddress ?? ''
              if (dialled !== place.host) {
                ;(socket as Socket).destroy()
                return callback(refuseAddress(options.hostname, dialled), null)
              }
              callback(null, socket)
            },
          )
        },
        (error: unknown) => {
          if (error instanceof ToolError) problem = error
          callback(error instanceof Error ? error : new Error(String(error)), null)
        },
      )
    },
  })
  const hops: string[] = []
  try {
    let url = checkUrl(start)
    for (;;) {
      hops.push(url.href)
      const response = await request(url, {
        dispatcher: agent,
        signal: stop,
        headers: {
          'user-agent': 'Metona/0.1 (+fetch_url)',
          accept: 'text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.9,*/*;q=0.1',
          'accept-encoding': 'gzip, deflate, br',
          'accept-language': 'zh-CN,zh;q=0.9,en;q=0.8',
        },
      })
      // Leaving a body unread makes it report an abort; whoever reads it gets its errors from the reading.
      response.body.on('error', ignoreAbandonedBody)
      const location = response.headers['location']
      if ([301, 302, 303, 307, 308].includes(response.statusCode) && typeof location === 'string') {
        response.body.destroy()
        if (hops.length > MAX_HOPS) throw new ToolError('TOO_MANY_REDIRECTS', `${start} redirects more than ${MAX_HOPS} times.`)
        url = checkUrl(location, url)
        continue
      }
      const { body, cut } = await readBounded(response.body, String(response.headers['content-encoding'] ?? ''))
      return { url: url.href, status: response.statusCode, contentType: String(response.headers['content-type'] ?? ''), body, cut, hops }
    }
  } catch (error) {
    signal.throwIfAborted()
    throw problem ?? explainNetworkError(error, hops.at(-1) ?? start, overdue.signal.aborted ? totalMs : undefined)
  } finally {
    stopWaiting()
    await agent.destroy()
  }
}

/** Every address of the name must be public: one private among them is what rebinding looks like. */
async function resolvePublic(hostname: string, network: FetchNetwork): Promise<string> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const addresses = await network.lookup(host)
  const bad = addresses.find((address) => !isPublicAddress(address))
  if (bad !== undefined) throw refuseAddress(hostname, bad)
  const first = addresses.find((address) => !address.includes(':')) ?? addresses[0]
  if (first === undefined) throw new ToolError('NOT_FOUND', `${hostname} has no address.`)
  return first
}

async function readBounded(
  source: AsyncIterable<Uint8Array> & { destroy(): unknown },
  encoding: string,
): Promise<{ body: Buffer; cut: boolean }> {
  const { Readable, PassThrough } = await import('node:stream')
  const zlib = await import('node:zlib')
  const options = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH }
  const unpack =
    encoding === 'gzip' || encoding === 'x-gzip'
      ? zlib.createGunzip(options)
      : encoding === 'deflate'
        ? zlib.createInflate(options)
        : encoding === 'br'
          ? zlib.createBrotliDecompress()
          : new PassThrough()
  const raw = Readable.from(source)
  raw.on('error', (error) => unpack.destroy(error))
  raw.pipe(unpack)
  const parts: Buffer[] = []
  let size = 0
  try {
    // Counted after unpacking: a small body that unfolds to gigabytes is left at the bound.
    for await (const part of unpack as AsyncIterable<Buffer>) {
      parts.push(part.subarray(0, BODY_LIMIT - size))
      size += part.length
      if (size >= BODY_LIMIT) return { body: Buffer.concat(parts), cut: true }
    }
    return { body: Buffer.concat(parts), cut: false }
  } finally {
    raw.destroy()
    unpack.destroy()
    source.destroy()
  }
}

function explainNetworkError(error: unknown, url: string, timedOutMs: number | undefined): ToolError {
  if (error instanceof ToolError) return error
  const code = (error as NodeJS.ErrnoException).code ?? ''
  const message = error instanceof Error ? error.message : String(error)
  if (timedOutMs !== undefined)
    return new ToolError('TIMEOUT', `${url} was not complete within ${timedOutMs / 1000} s. Try another source.`)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new ToolError(
      'NOT_FOUND',
      `The name in ${url} could not be resolved (${code}). Check the spelling, or whether the machine is online.`,
    )
  if (/TIMEOUT/.test(code)) return new ToolError('TIMEOUT', `${url} did not answer in time (${code}). Try again later or another source.`)
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return new ToolError('BAD_ANSWER', `${url} answered with headers that are too long.`)
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code))
    return new ToolError('BAD_CERTIFICATE', `The certificate of ${url} is not valid (${code}). Nothing was read.`)
  return new ToolError(
    'FETCH_FAILED',
    `${url} could not be fetched: ${message}${code === '' || message.includes(code) ? '' : ` (${code})`}. Try again or another source.`,
  )
}

function ignoreAbandonedBody(): void {}
