import { webSocketTransport } from '#renderer/ipc/web-socket-transport.ts'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { waitUntil } from '../helpers.ts'
import { WebSocketServer, type WebSocket as Peer } from 'ws'

let server: Server
let peers: Peer[]
let paths: (string | undefined)[]
let status = 200
let href: string

beforeEach(async () => {
  peers = []
  paths = []
  status = 200
  server = createServer((_request, response) => response.writeHead(status).end())
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (peer, request) => {
    peers.push(peer)
    paths.push(request.url)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  href = `http://127.0.0.1:${(server.address() as AddressInfo).port}/?open=x#/new`
})
afterEach(async () => {
  for (const peer of peers) peer.terminate()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const listeners = () => ({ onOpen: vi.fn(), onMessage: vi.fn(), onClose: vi.fn() })

test("JSON text goes both ways over /port of the page's own origin", async () => {
  const events = listeners()
  const transport = webSocketTransport({ href }).open(events)
  await waitUntil(() => expect(events.onOpen).toHaveBeenCalledOnce())
  const [peer] = peers
  const received = new Promise((resolve) => peer?.once('message', (data) => resolve(JSON.parse(String(data)))))
  transport.send({ type: 'ack', post: 1 })
  peer?.send('{"type":"banners","banners":[]}')
  await expect(received).resolves.toEqual({ type: 'ack', post: 1 })
  await waitUntil(() => expect(events.onMessage).toHaveBeenCalledWith({ type: 'banners', banners: [] }))
  expect(paths).toEqual(['/port'])
  transport.close()
})

test('a peer that sends anything but JSON text is left', async () => {
  for (const nonsense of ['{half', Buffer.from([1, 2])]) {
    const events = listeners()
    webSocketTransport({ href }).open(events)
    await waitUntil(() => expect(events.onOpen).toHaveBeenCalledOnce())
    peers.at(-1)?.send(nonsense)
    await waitUntil(() => expect(events.onClose).toHaveBeenCalledOnce())
    expect(events.onMessage).not.toHaveBeenCalled()
  }
})

test('nobody listening is one close, without an open', async () => {
  const events = listeners()
  webSocketTransport({ href: 'http://127.0.0.1:1/' }).open(events)
  await waitUntil(() => expect(events.onClose).toHaveBeenCalledOnce())
  expect(events.onOpen).not.toHaveBeenCalled()
})

test('the probe tells a stale cookie from an absent host', async () => {
  const probe = webSocketTransport({ href }).probe
  status = 200
  expect(await probe?.()).toBe('reachable')
  status = 401
  expect(await probe?.()).toBe('refused')
  status = 403
  expect(await probe?.()).toBe('refused')
  expect(await webSocketTransport({ href: 'http://127.0.0.1:1/' }).probe?.()).toBe('unreachable')
})
