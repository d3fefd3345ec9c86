/**
 * An MCP server over HTTP that misbehaves in one chosen way: `node hostile-http-server-entry.ts BEHAVIOUR FOLDER [PORT]`. Prints its
 * port. Written without the protocol's library. Each call of a tool leaves a file in FOLDER.
 */
import { appendFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params?: { name?: string }
}

const [behaviour = '', folder = '.', wantedPort = '0'] = process.argv.slice(2)
const effect = (name: string): void => appendFileSync(join(folder, name), 'x')
const poke = { name: 'poke', description: 'Pokes.', inputSchema: { type: 'object', properties: {} } }
const initialized = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'hostile', version: '1' } }
let session = `session-${process.pid}`
let count = 0

function reply(response: ServerResponse, message: Message, result: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': session })
  response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }))
}

function good(message: Message, response: ServerResponse): void {
  if (message.method === 'initialize') return reply(response, message, initialized)
  if (message.method === 'tools/list') return reply(response, message, { tools: [poke] })
  if (message.method === 'tools/call') {
    effect(`${behaviour}.called-${message.params?.name}`)
    return reply(response, message, { content: [{ type: 'text', text: 'poked' }] })
  }
  response.writeHead(202).end()
}

const stream = (response: ServerResponse): void =>
  void response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': session })
function pour(response: ServerResponse, piece: string): void {
  const more = (): void => {
    while (response.write(piece)) if (response.destroyed) return
    response.once('drain', () => setImmediate(more))
  }
  more()
}

type Handler = (message: Message, response: ServerResponse, request: IncomingMessage) => void
const atCall =
  (handler: Handler): Handler =>
  (message, response, request) => {
    if (message.method !== 'tools/call') return good(message, response)
    effect(`${behaviour}.called-poke`)
    handler(message, response, request)
  }

const BEHAVIOURS: Record<string, Handler> = {
  good,
  'redirect-away': (_message, response) => void response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
  'redirect-elsewhere': (_message, response) =>
    void response.writeHead(307, { location: `http://localhost:${process.env['OTHER_PORT']}/mcp` }).end(),
  'redirect-circle': (_message, response, request) => void response.writeHead(307, { location: request.url ?? '/' }).end(),
  'needs-login': (_message, response) =>
    void response.writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="http://169.254.169.254/"' }).end(),
  forbidden: (_message, response) => void response.writeHead(403).end('no'),
  broken: (_message, response) => void response.writeHead(500).end('stack trace'),
  'endless-refusal': (_message, response) => {
    response.once('close', () => effect('endless-refusal.closed'))
    response.writeHead(500)
    pour(response, 'no '.repeat(20_000))
  },
  page: (_message, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome to nginx!</html>'),
  'no-json': (_message, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc": "2.0", '),
  silent: () => undefined,
  'silent-call': atCall(() => undefined),
  drip: atCall((_message, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    setInterval(() => response.write(' '), 50)
  }),
  'endless-body': atCall((_message, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    pour(response, ' '.repeat(64 * 1024))
  }),
  'endless-line': atCall((_message, response) => {
    stream(response)
    response.write('data: ')
    pour(response, 'x'.repeat(64 * 1024))
  }),
  'endless-events': atCall((_message, response) => {
    stream(response)
    pour(response, `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"${'y'.repeat(100)}"}}\n\n`)
  }),
  'cut-stream': atCall((_message, response) => {
    stream(response)
    response.write('event: message\n')
    setTimeout(() => response.end(), 50)
  }),
  'reset-stream': atCall((_message, response) => {
    stream(response)
    response.write('event: message\n')
    setTimeout(() => response.destroy(), 50)
  }),
  'reconnect-storm': atCall((_message, response) => {
    stream(response)
    response.end('id: 1\nretry: 0\ndata: \n\n')
  }),
  'huge-headers': atCall((_message, response) => void response.writeHead(200, { 'x-long': 'h'.repeat(200_000) }).end()),
  'session-lost': (message, response, request) => {
    if (message.method === 'tools/call') {
      count += 1
      if (count === 2) session = 'another'
    }
    const given = request.headers['mcp-session-id']
    if (given !== undefined && given !== session) return void response.writeHead(404).end()
    good(message, response)
  },
  'needs-session': (message, response, request) => {
    if (message.method !== 'initialize' && request.headers['mcp-session-id'] !== session) return void response.writeHead(404).end()
    good(message, response)
  },
  'wrong-session': atCall((message, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 'not-yours', result: {} }))
    void message
  }),
  'batch-answer': atCall((message, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify([{ jsonrpc: '2.0', id: message.id, result: { content: [{ type: 'text', text: 'in a list' }] } }]))
  }),
  'dies-at-call': atCall(() => process.exit(1)),
}

const handle: Handler | undefined = BEHAVIOURS[behaviour]
const server = createServer({ maxHeaderSize: 1024 * 1024 }, (request, response) => {
  if (request.method === 'GET') {
    if (behaviour === 'reconnect-storm') {
      effect('reconnect-storm.opened')
      stream(response)
      return void response.end('id: 2\nretry: 0\ndata: \n\n')
    }
    if (behaviour === 'endpoint-elsewhere') {
      stream(response)
      return void response.write(`event: endpoint\ndata: http://localhost:${process.env['OTHER_PORT']}/messages\n\n`)
    }
    if (behaviour === 'endpoint-never') return stream(response)
    return void response.writeHead(405).end()
  }
  if (request.method !== 'POST') return void response.writeHead(405).end()
  let body = ''
  request.on('data', (piece: Buffer) => (body += piece.toString()))
  request.on('end', () => {
    if (behaviour.startsWith('endpoint')) return void response.writeHead(404).end()
    handle?.(JSON.parse(body) as Message, response, request)
  })
})
server.listen(Number(wantedPort), '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
