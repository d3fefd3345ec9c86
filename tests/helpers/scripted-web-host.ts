/** Serves the built page with the strictest CSP and speaks the client protocol on `/port`, answered by a ScriptedHost. */
import { readFile, readdir } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { WebSocketServer, type WebSocket } from 'ws'
import { eventually } from './eventually.ts'
import type { ScriptedHost } from './scripted-host.ts'

const root = fileURLToPath(new URL('../../out/renderer/', import.meta.url))
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
/** As strict as the shells' own, or stricter: what passes here passes there. */
export const STRICT_CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types vue metona"

export interface ScriptedWebHost {
  readonly url: string
  readonly port: number
  /** Cuts every connection and stops listening; `start` with the same port comes back. */
  stop(): Promise<void>
}

let pageFiles: Promise<ReadonlyMap<string, Buffer>> | undefined

/** Once per process, so that a build that somebody else starts meanwhile does not pull the page away from under a test. */
async function readPage(): Promise<ReadonlyMap<string, Buffer>> {
  return eventually('a whole page in out/renderer', async () => {
    const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => [])
    const names = entries.filter((entry) => entry.isFile()).map((entry) => relative(root, join(entry.parentPath, entry.name)))
    const bodies = await Promise.all(names.map((name) => readFile(join(root, name)).catch(() => undefined)))
    const files = new Map(
      names.flatMap((name, index) => (bodies[index] === undefined ? [] : [[name.split(sep).join('/'), bodies[index]] as const])),
    )
    const needed = [...String(files.get('index.html') ?? '').matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map((match) => match[1] ?? '')
    return needed.length > 0 && needed.every((name) => files.has(name)) ? files : undefined
  })
}

/** `accept: false` answers 401 to everything, as a shell whose cookie has gone stale does. */
export async function startScriptedWebHost(
  host: ScriptedHost,
  options: { port?: number; accept?: boolean } = {},
): Promise<ScriptedWebHost> {
  const files = await (pageFiles ??= readPage())
  const sockets = new Set<WebSocket>()
  const server = createServer((request, response) => {
    if (options.accept === false) return void response.writeHead(401).end()
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    const name = path === '/' ? 'index.html' : path.slice(1)
    const body = files.get(name)
    if (body === undefined) return void response.writeHead(404).end()
    const type = TYPES[extname(name)] ?? 'application/octet-stream'
    response.writeHead(200, { 'content-type': type, 'content-security-policy': STRICT_CSP, 'cache-control': 'no-store' }).end(body)
  })
  const webSockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    if (request.url !== '/port' || options.accept === false) return void socket.destroy()
    webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      sockets.add(webSocket)
      const connection = host.connect((message) => webSocket.send(JSON.stringify(message)))
      webSocket.on('message', (data) => connection.receive(JSON.parse(String(data))))
      webSocket.on('close', () => {
        sockets.delete(webSocket)
        connection.close()
      })
    })
  })
  await listen(server, options.port ?? 0)
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    port,
    async stop() {
      for (const socket of sockets) socket.terminate()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve())
  })
}
