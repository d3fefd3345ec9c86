/** The HTTP and WebSocket server of the web shell, on loopback only. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { Port } from '#contracts/wire/port.ts'
import { openAccessToken, type AccessToken } from './access-token.ts'
import { securityHeaders } from './security-headers.ts'
import { openStaticFiles, type StaticFiles } from './static-files.ts'
import { checkGate, type GateStatus } from './web-gate.ts'
import { webSocketPort } from './web-socket-port.ts'

const MAX_CONNECTIONS = 256
const MAX_SOCKETS = 32
const MAX_FRAME_BYTES = 16 * 1024 * 1024
const MAX_CALL_BYTES = 64 * 1024

export interface WebServerOptions {
  readonly profile: string
  /** Folder of the built renderer. */
  readonly renderer: string
  /** 0 takes a free port. */
  readonly port: number
  readonly version: string
  /** A page connected and passed the gate. */
  onClient(port: Port): void
}

export interface WebServer {
  readonly port: number
  /** A link with a fresh one-time code. */
  newUrl(): string
  stop(): Promise<void>
}

/** Rejects with the system error (EADDRINUSE …) when it cannot listen. */
export async function startWebServer(options: WebServerOptions): Promise<WebServer> {
  const files = await openStaticFiles(options.renderer)
  const server = createServer({ maxHeaderSize: 16 * 1024, headersTimeout: 10_000, requestTimeout: 30_000 })
  server.maxConnections = MAX_CONNECTIONS
  const port = await listen(server, options.port)
  const token = await openAccessToken(options.profile, port)
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    handleProtocols: (protocols) => (protocols.has('metona') ? 'metona' : false),
  })
  const headers = securityHeaders(port)

  server.on('request', (request, response) => {
    answer({ request, response, port, token, files, headers, version: options.version }).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined)
    })
  })
  server.on('upgrade', (request, socket: Duplex, head) => {
    // A peer that resets while it is being refused is of no interest.
    socket.on('error', () => socket.destroy())
    const status = pathOf(request) === '/port' ? gate(request, 'socket', port, token) : 404
    if (status !== 200) return refuseUpgrade(socket, status)
    if (sockets.clients.size >= MAX_SOCKETS) return refuseUpgrade(socket, 503)
    sockets.handleUpgrade(request, socket, head, (webSocket) => options.onClient(webSocketPort(webSocket)))
  })

  return {
    port,
    newUrl: () => `http://127.0.0.1:${port}/?code=${token.newCode()}`,
    stop: async () => {
      for (const client of sockets.clients) client.close(1001)
      sockets.close()
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
        setTimeout(() => server.closeAllConnections(), 500).unref()
      })
    },
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly port: number
  readonly token: AccessToken
  readonly files: StaticFiles
  readonly headers: Record<string, string>
  readonly version: string
}

async function answer(exchange: Exchange): Promise<void> {
  const { request, response, port, token, files, headers } = exchange
  const urlPath = pathOf(request)
  if (urlPath === '/api/alive') return answerAlive(exchange)
  const code = urlPath === '/' ? codeOf(request) : undefined
  const status = gate(request, 'page', port, token)
  // A link from the terminal brings no cookie yet; everything else about it must be right.
  if (code !== undefined && (status === 401 || status === 200) && token.redeem(code)) {
    return end(response, 303, {
      ...headers,
      Location: `/#key=${token.pageKey}`,
      'Cache-Control': 'no-store',
      'Set-Cookie': `${token.cookieName}=${token.cookieValue}; HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000`,
    })
  }
  if (code !== undefined && status === 200) return end(response, 303, { ...headers, Location: '/', 'Cache-Control': 'no-store' })
  if (status !== 200)
    return end(response, status, { ...headers, 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }, REFUSALS[status])
  const file = await files.find(urlPath)
  if (file === undefined) return end(response, 404, { ...headers, 'Content-Type': 'text/plain; charset=utf-8' }, 'Not found')
  end(
    response,
    200,
    {
      ...headers,
      'Content-Type': file.contentType,
      'Content-Length': String(file.body.length),
      'Cache-Control': file.immutable ? 'private, max-age=31536000, immutable' : 'no-cache',
    },
    request.method === 'HEAD' ? undefined : file.body,
  )
}

/** Lets a page that lost its socket ask whether the server is back and still knows it. */
async function answerAlive({ request, response, port, token, headers, version }: Exchange): Promise<void> {
  const status = gate(request, 'call', port, token)
  if (status === 200 && !(await drained(request))) return end(response, 413, headers)
  if (status !== 200) return end(response, status, { ...headers, Connection: 'close' })
  end(response, 200, { ...headers, 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }, JSON.stringify({ version }))
}

const REFUSALS: Readonly<Record<Exclude<GateStatus, 200>, string>> = {
  401: 'This link is no longer valid. Open the newest link that Metona printed.\n这个链接已失效。请打开 Metona 最新打印的链接。\n',
  403: 'Refused: the request did not come from this page.\n已拒绝：请求不是来自本页面。\n',
  405: 'Method not allowed\n',
  415: 'JSON only\n',
  421: 'Wrong host. Use the link that Metona printed.\n主机不对。请使用 Metona 打印的链接。\n',
}

function gate(request: IncomingMessage, kind: 'page' | 'call' | 'socket', port: number, token: AccessToken): GateStatus {
  return checkGate({
    kind,
    method: request.method ?? '',
    headers: countedHeaders(request),
    port,
    hasToken: token.matches(request.headers.cookie) && hasKey(request, kind, token),
  })
}

/** A socket and a call must bring the page's key; a page cannot yet, but one that brings it must have the right one. */
function hasKey(request: IncomingMessage, kind: 'page' | 'call' | 'socket', token: AccessToken): boolean {
  if (kind === 'socket')
    return (request.headers['sec-websocket-protocol'] ?? '').split(',').some((protocol) => token.isPageKey(protocol.trim()))
  const key = request.headers['x-metona-key']
  return kind === 'page' && key === undefined ? true : token.isPageKey(typeof key === 'string' ? key : undefined)
}

/** Node keeps the first of two Host headers and joins Origins; here a repeated one must not pass. */
function countedHeaders(request: IncomingMessage): Record<string, string | string[] | undefined> {
  const { host, origin, 'sec-fetch-site': site, 'content-type': type } = request.headersDistinct
  const one = (values: string[] | undefined): string | string[] | undefined => (values?.length === 1 ? values[0] : values)
  return { host: one(host), origin: one(origin), 'sec-fetch-site': one(site), 'content-type': one(type) }
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/'
}

function codeOf(request: IncomingMessage): string | undefined {
  return new URLSearchParams((request.url ?? '').split('?')[1] ?? '').get('code') ?? undefined
}

async function drained(request: IncomingMessage): Promise<boolean> {
  let bytes = 0
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length
    if (bytes > MAX_CALL_BYTES) return false
  }
  return true
}

function end(response: ServerResponse, status: number, headers: Record<string, string>, body?: string | Buffer): void {
  response.writeHead(status, headers)
  response.end(body)
}

function refuseUpgrade(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
