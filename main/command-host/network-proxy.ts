/**
 * The only way out of a sandbox whose network is closed: an HTTP proxy that takes connections of one command and makes
 * those the person allowed by name. It runs outside; its listening socket was opened inside, by our own words before the
 * command's, and handed out. HTTP is passed on request by request, anything else must be TLS that asks for the same name.
 */
import { createServer, request as sendRequest, STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Server as Listener, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { hostName, refusalOf, type NetworkRefusal, type RefusalReason } from '#contracts/tools/allowed-domains.ts'
import { readClientHello } from './client-hello.ts'
import { dialPublic, PrivateAddress, type ProxyNetwork } from './dial-public.ts'

interface Target {
  readonly host: string
  readonly port: number
}

export interface NetworkProxy {
  /** Ends every connection. */
  close(): void
}

/** Of one command at a time; what comes above is closed at once. */
const CONNECTIONS = 128
/** No name is longer; what a command makes up goes into results and the history. */
const HOST_LENGTH = 253
const HEAD_BYTES = 32 * 1024
const HELLO_MS = 20_000
const IDLE_MS = 10 * 60_000
/** For this connection only, or the proxy's own matter (RFC 9110 §7.6.1). */
const HOP_BY_HOP = new Set(
  'connection keep-alive proxy-connection proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade expect host'.split(
    ' ',
  ),
)
type Seen = Exclude<RefusalReason, 'unresolved'>
const WHY: Readonly<Record<Seen, string>> = {
  domain: 'it is not among the allowed domains',
  port: 'this port of it is not allowed',
  name: 'it is no public host name',
  address: 'its name leads to this machine or a private network',
  mismatch: 'the connection asked for another host inside',
}

class Refused extends Error {
  readonly refusal: NetworkRefusal
  constructor(target: Target, reason: Seen) {
    const host = target.host.slice(0, HOST_LENGTH)
    super(`The sandbox refused ${host}:${target.port}: ${WHY[reason]}. Only the person can allow it.`)
    this.refusal = { host, port: target.port, reason }
  }
}

/**
 * @param listener opened in the sandbox's own network.
 * @param domains as `ALLOWED_DOMAIN` writes them.
 * @param refused called for every refusal.
 */
export function serveAllowedDomains(
  listener: Listener,
  domains: readonly string[],
  network: ProxyNetwork,
  refused: (refusal: NetworkRefusal) => void,
): NetworkProxy {
  const open = new Set<Duplex>()
  let over = false
  const track = (socket: Duplex): void => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    // Whoever hangs up has its reasons; the other end is closed with it.
    socket.on('error', () => socket.destroy())
  }
  /** @param client the connection it is for; the socket ends with it. */
  const dial = async (target: Target, client: Duplex): Promise<Socket> => {
    const reason = hostName(target.host) === target.host ? refusalOf(domains, target.host, target.port) : 'name'
    if (reason !== undefined) throw new Refused(target, reason)
    try {
      const socket = await dialPublic(target.host, target.port, network)
      track(socket)
      // Either may have happened while the name was looked up.
      if (over || client.destroyed) {
        socket.destroy()
        throw new Error('the connection was closed')
      }
      const end = (): void => void socket.destroy()
      client.once('close', end)
      socket.once('close', () => client.off('close', end))
      socket.setTimeout(IDLE_MS, end)
      return socket
    } catch (error) {
      throw error instanceof PrivateAddress ? new Refused(target, 'address') : error
    }
  }
  /** What the program is told; it goes into the command's result as well. */
  const explain = (error: unknown): { status: number; text: string } => {
    if (!(error instanceof Refused)) return { status: 502, text: `The connection could not be made: ${(error as Error).message}` }
    if (error.refusal.host !== '') refused(error.refusal)
    return { status: 403, text: error.message }
  }

  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const { target, path } = requestTarget(incoming)
      const socket = await dial(target, incoming.socket)
      await passOn(incoming, response, socket, target, path)
    } catch (error) {
      const { status, text } = explain(error)
      if (response.headersSent) return void response.destroy()
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${text}\n`)
    }
  }

  const tunnel = async (incoming: IncomingMessage, client: Duplex, head: Buffer): Promise<void> => {
    const target = authority(incoming.url ?? '', 443)
    let upstream: Socket | undefined
    try {
      const socket = await dial(target, client)
      upstream = socket
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      const first = await firstBytes(client, head)
      const hello = readClientHello(first)
      if (hello.kind === 'other' && first[0] !== 22) {
        // Plain HTTP through a tunnel: each of its requests is looked at like any other.
        socket.destroy()
        pinned.set(client, target)
        client.unshift(first)
        server.emit('connection', client)
        return
      }
      if (hello.kind !== 'hello' || hello.name === undefined || hostName(hello.name) !== target.host) throw new Refused(target, 'mismatch')
      socket.write(first)
      // After a proper end the client still takes what is queued for it, however slowly.
      socket.on('close', () => {
        if (!socket.readableEnded) client.destroy()
      })
      client.pipe(socket).pipe(client)
    } catch (error) {
      upstream?.destroy()
      const { status, text } = explain(error)
      const body = `${text}\n`
      client.end(
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      )
    }
  }

  /** Connections inside a tunnel lead where the tunnel was opened to. */
  const pinned = new WeakMap<Duplex, Target>()
  const requestTarget = (incoming: IncomingMessage): { target: Target; path: string } => {
    const within = pinned.get(incoming.socket)
    const said = incoming.rawHeaders.filter((_text, index) => index % 2 === 0).filter((name) => name.toLowerCase() === 'host')
    const hostHeader = incoming.headers.host
    const absolute = URL.parse(incoming.url ?? '')
    const target = within ?? targetOf(absolute)
    const path = within === undefined ? `${absolute?.pathname ?? '/'}${absolute?.search ?? ''}` : (incoming.url ?? '')
    const named = hostHeader === undefined ? undefined : authority(hostHeader, 80)
    const same = hostHeader === undefined || (named?.host === target.host && named.port === target.port)
    if (said.length > 1 || !same || !path.startsWith('/') || absolute?.username || absolute?.password) throw new Refused(target, 'mismatch')
    return { target, path }
  }

  const server = createServer(
    { maxHeaderSize: HEAD_BYTES, keepAliveTimeout: 30_000, requestTimeout: 0, insecureHTTPParser: false, joinDuplicateHeaders: false },
    (incoming, response) => void answer(incoming, response),
  )
  server.maxConnections = CONNECTIONS
  server.on('connection', (socket: Socket) => {
    if (!open.has(socket)) track(socket)
  })
  server.on('connect', (incoming: IncomingMessage, client: Duplex, head: Buffer) => void tunnel(incoming, client, head))
  server.on('clientError', (_error, socket: Duplex) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
  })
  server.on('error', () => listener.close())
  server.listen(listener)
  return {
    close: () => {
      over = true
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

/**
 * Request and answer with the headers of this hop left out; the other side of the proxy gets exactly one request.
 * @throws for an answer that cannot be passed on: whoever has an allowed name may write anything, and this process must not end of it.
 */
function passOn(incoming: IncomingMessage, response: ServerResponse, socket: Socket, target: Target, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const outgoing = sendRequest({
      createConnection: () => socket,
      method: incoming.method,
      path,
      setHost: false,
      headers: ['Host', target.port === 80 ? target.host : `${target.host}:${target.port}`, 'Connection', 'close', ...ownHeaders(incoming)],
    })
    outgoing.on('error', reject)
    outgoing.on('response', (answered) => {
      answered.on('error', reject)
      response.once('close', resolve)
      try {
        const status = answered.statusCode ?? 0
        if (status < 200 || status > 999) throw new Error(`the server answered with status ${status}`)
        // Its own text for the status may hold what no header may.
        response.writeHead(status, ownHeaders(answered))
        answered.pipe(response)
      } catch (error) {
        reject(error as Error)
      }
    })
    outgoing.on('upgrade', () => reject(new Error('the server changed the protocol, which nobody asked for')))
    response.once('close', () => socket.destroy())
    incoming.pipe(outgoing)
  })
}

function ownHeaders({ rawHeaders, headers }: IncomingMessage): string[] {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()))
  const kept: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    const lower = name.toLowerCase()
    if (!HOP_BY_HOP.has(lower) && !named.has(lower)) kept.push(name, rawHeaders[at + 1] as string)
  }
  // A body of unknown length goes on in chunks of its own.
  if (headers['transfer-encoding'] !== undefined) kept.push('Transfer-Encoding', 'chunked')
  return kept
}

function targetOf(url: URL | null): Target {
  if (url?.protocol !== 'http:') throw new Refused({ host: url?.hostname ?? '', port: Number(url?.port || 443) }, 'name')
  return { host: hostName(url.hostname) ?? url.hostname, port: Number(url.port || 80) }
}

/** What has no form of a name keeps its text, and is refused for it. */
function authority(text: string, usualPort: number): Target {
  const parts = /^([^:/@\s]+)(?::(\d{1,5}))?$/.exec(text)
  const host = parts?.[1] ?? text
  return { host: hostName(host) ?? host, port: Number(parts?.[2] ?? usualPort) }
}

/** Enough of what the client sends to know what it is. @throws when it sends nothing for long. */
async function firstBytes(client: Duplex, head: Buffer): Promise<Buffer> {
  let bytes = head
  const late = setTimeout(() => client.destroy(new Error('nothing was sent')), HELLO_MS)
  try {
    while (bytes.length === 0 || readClientHello(bytes).kind === 'more') {
      if (client.readableEnded || client.destroyed) throw new Error('the connection was closed')
      const chunk = client.read() as Buffer | null
      if (chunk !== null) bytes = Buffer.concat([bytes, chunk])
      else
        await new Promise<void>((resolve) => {
          const go = (): void => {
            client.off('readable', go).off('end', go).off('close', go)
            resolve()
          }
          client.on('readable', go).on('end', go).on('close', go)
        })
    }
    return bytes
  } finally {
    clearTimeout(late)
  }
}
