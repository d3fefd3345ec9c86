/** The web shell's server over real sockets, with raw headers no browser would let a page choose. */
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { Port } from '#contracts/wire/port.ts'
import { startWebServer, type WebServer } from '#main/web/web-server.ts'

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

let folder: string
let server: WebServer
let clients: Port[]
let cookie: string
let key: string

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'metona-web-'))
  await mkdir(path.join(folder, 'renderer', 'assets'), { recursive: true })
  await writeFile(path.join(folder, 'renderer', 'index.html'), '<!doctype html><title>Metona</title>')
  await writeFile(path.join(folder, 'renderer', 'assets', 'app.js'), 'export {}')
  await writeFile(path.join(folder, 'outside.txt'), 'outside')
  clients = []
  server = await start(0)
  cookie = await cookieFrom(server.newUrl())
})

afterEach(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

function start(port: number): Promise<WebServer> {
  return startWebServer({
    profile: path.join(folder, 'profile'),
    renderer: path.join(folder, 'renderer'),
    port,
    version: '0',
    onClient: (client) => void clients.push(client),
  })
}

function send(options: { method?: string; path?: string; headers?: Record<string, string>; body?: string }): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port: server.port,
        method: options.method ?? 'GET',
        path: options.path ?? '/',
        headers: { host: `127.0.0.1:${server.port}`, ...options.headers },
      },
      (response) => {
        let body = ''
        response.on('data', (chunk) => (body += String(chunk)))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
      },
    )
    request.on('error', reject)
    request.end(options.body)
  })
}

async function cookieFrom(url: string): Promise<string> {
  const answer = await send({ path: url.slice(url.indexOf('/?')) })
  expect(answer.status).toBe(303)
  key = String(answer.headers['location']).replace('/#key=', '')
  return String(answer.headers['set-cookie']?.[0]).split(';')[0] ?? ''
}

function openSocket(headers: Record<string, string>, protocols?: string[]): Promise<WebSocket | number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/port`, protocols ?? ['metona', key], { headers })
    socket.on('open', () => resolve(socket))
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
    socket.on('error', reject)
  })
}

describe('the link', () => {
  test('gives a strict HttpOnly cookie once and leaves no code in the address', async () => {
    const url = server.newUrl()
    const first = await send({ path: url.slice(url.indexOf('/?')) })
    expect(first).toMatchObject({ status: 303, headers: { location: `/#key=${key}` } })
    expect(String(first.headers['set-cookie'])).toMatch(/HttpOnly; SameSite=Strict; Path=\//)
    expect((await send({ path: url.slice(url.indexOf('/?')) })).status).toBe(401)
  })

  test('with a wrong code gives nothing', async () => {
    const answer = await send({ path: '/?code=guess' })
    expect({ status: answer.status, cookie: answer.headers['set-cookie'] }).toEqual({ status: 401, cookie: undefined })
  })

  test('does not redeem a code for another host', async () => {
    const url = server.newUrl()
    expect((await send({ path: url.slice(url.indexOf('/?')), headers: { host: `evil.com:${server.port}` } })).status).toBe(421)
    expect((await send({ path: url.slice(url.indexOf('/?')) })).status).toBe(303)
  })
})

describe('pages', () => {
  test('come with a policy that loads nothing from elsewhere', async () => {
    const answer = await send({ headers: { cookie } })
    expect(answer.status).toBe(200)
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
    expect(answer.headers).toMatchObject({
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
  })

  for (const attempt of [
    '/../outside.txt',
    '/..%2foutside.txt',
    '/assets/../../outside.txt',
    '//etc/passwd',
    '/%2e%2e/outside.txt',
    '/assets',
  ]) {
    test(`${attempt} names no file`, async () => {
      expect(await send({ path: attempt, headers: { cookie } })).toMatchObject({ status: 404, body: 'Not found' })
    })
  }

  test('with a changed cookie are refused', async () => {
    expect((await send({ headers: { cookie: `${cookie}x` } })).status).toBe(401)
  })

  test('and calls pass with all marks right', async () => {
    const headers = { cookie, origin: `http://127.0.0.1:${server.port}`, 'content-type': 'application/json', 'x-metona-key': key }
    expect(await send({ method: 'POST', path: '/api/alive', headers, body: '{}' })).toMatchObject({ status: 200, body: '{"version":"0"}' })
    expect(
      (await send({ method: 'POST', path: '/api/alive', headers: { ...headers, 'content-type': 'text/plain' }, body: '{}' })).status,
    ).toBe(415)
    expect((await send({ method: 'POST', path: '/api/alive', headers, body: 'x'.repeat(100_000) })).status).toBe(413)
  })
})

describe('the socket', () => {
  test('opens for our page and carries text both ways', async () => {
    const socket = await openSocket({ cookie, origin: `http://127.0.0.1:${server.port}` })
    if (typeof socket === 'number') throw new Error(`refused with ${socket}`)
    const received: unknown[] = []
    const port = clients[0]
    port?.addEventListener('message', ({ data }) => {
      received.push(data)
      port.postMessage('{"back":1}')
    })
    port?.start()
    const back = new Promise((resolve) => socket.once('message', (data) => resolve(String(data))))
    socket.send('{"there":1}')
    expect(await back).toBe('{"back":1}')
    expect(received).toEqual(['{"there":1}'])
    socket.close()
  })

  test.each([
    ['another origin', { origin: 'http://127.0.0.1:1' }, 403],
    ['no origin', {}, 403],
  ])('is refused for %s', async (_name, headers, status) => {
    expect(await openSocket({ cookie, ...(headers as Record<string, string>) })).toBe(status)
  })

  test('is refused with the cookie alone, which any other server of this machine may have seen', async () => {
    const origin = `http://127.0.0.1:${server.port}`
    expect(await openSocket({ cookie, origin }, [])).toBe(401)
    expect(await openSocket({ cookie, origin }, ['metona', 'ab'.repeat(32)])).toBe(401)
    expect(await openSocket({ cookie, origin }, ['metona', cookie.slice(cookie.indexOf('=') + 1)])).toBe(401)
  })

  test('a page that brings a wrong key is told so', async () => {
    expect((await send({ headers: { cookie, 'x-metona-key': 'ab'.repeat(32) } })).status).toBe(401)
  })

  test('is refused without cookie', async () => {
    expect(await openSocket({ origin: `http://127.0.0.1:${server.port}` })).toBe(401)
  })

  test('is closed by a frame over the limit', async () => {
    const socket = await openSocket({ cookie, origin: `http://127.0.0.1:${server.port}` })
    if (typeof socket === 'number') throw new Error(`refused with ${socket}`)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => undefined)
    socket.send('x'.repeat(17 * 1024 * 1024), () => undefined)
    await closed
    expect(socket.readyState).toBe(WebSocket.CLOSED)
  })
})

test('the cookie survives a restart on the same port, in a file for its owner only', async () => {
  const { port } = server
  await server.stop()
  server = await start(port)
  expect((await send({ headers: { cookie } })).status).toBe(200)
  expect((await stat(path.join(folder, 'profile', 'web-shell.token'))).mode & 0o777).toBe(0o600)
})

test('a taken port is an error with its code', async () => {
  await expect(start(server.port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
})
