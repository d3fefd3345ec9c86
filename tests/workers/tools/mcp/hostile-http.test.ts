/** A server over HTTP that misbehaves: each failure has a name, no request leaves the approved origin, nothing hangs. */
// long: waits for silence
import { spawn, type ChildProcess } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '#tests/helpers/eventually.ts'
import { makeMcpHostPlace, type Called, type McpHostPlace } from '#tests/helpers/mcp/mcp-host-place.ts'

const SERVER = path.resolve(import.meta.dirname, '../../../helpers/mcp/hostile-http-server-entry.ts')
const QUICK = { handshakeMs: 6_000, listMs: 6_000, idleMs: 1_500, totalMs: 3_000 }

let place: McpHostPlace
const children: ChildProcess[] = []
let trap: Server
let trapped = 0

beforeEach(async () => {
  place = await makeMcpHostPlace({ limits: QUICK })
  trapped = 0
  trap = createServer((_request, response) => {
    trapped += 1
    response.end('{}')
  })
  await new Promise<void>((resolve) => trap.listen(0, 'localhost', resolve))
})
afterEach(async () => {
  await place.stop()
  for (const child of children.splice(0)) child.kill('SIGKILL')
  trap.closeAllConnections()
  await new Promise((resolve) => trap.close(resolve))
  // Whatever a server answered, nothing went anywhere else.
  expect(trapped).toBe(0)
})

async function serve(behaviour: string, port = 0): Promise<{ url: string; port: number; child: ChildProcess }> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', SERVER, behaviour, path.join(place.folder, 'left'), String(port)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, OTHER_PORT: String((trap.address() as AddressInfo).port) },
    },
  )
  children.push(child)
  const got = await new Promise<number>((resolve) => child.stdout?.once('data', (text: Buffer) => resolve(Number(text.toString()))))
  return { url: `http://127.0.0.1:${got}/mcp`, port: got, child }
}

const entry = (name: string, url: string, transport: 'streamable_http' | 'sse' = 'streamable_http') => ({ name, transport, url })
const poke = (behaviour: string): Promise<Called> => place.call(behaviour, 'poke')

describe('does not get ready, and says why', () => {
  test.each([
    ['redirect-away', 'BAD_PROTOCOL'],
    ['redirect-elsewhere', 'BAD_PROTOCOL'],
    ['redirect-circle', 'BAD_PROTOCOL'],
    ['needs-login', 'NEEDS_LOGIN'],
    ['forbidden', 'NEEDS_LOGIN'],
    ['broken', 'BAD_PROTOCOL'],
    ['page', 'BAD_PROTOCOL'],
    ['no-json', 'BAD_PROTOCOL'],
    ['silent', 'TIMEOUT'],
    ['endpoint-never', 'TIMEOUT'],
    ['endpoint-elsewhere', 'BAD_PROTOCOL'],
  ])('%s', { timeout: 20_000 }, async (behaviour, code) => {
    const { url } = await serve(behaviour)
    const { state, failure } = await place.start(entry(behaviour, url, behaviour.startsWith('endpoint') ? 'sse' : 'streamable_http'))
    expect([state, failure?.code, failure?.message]).toEqual(['failed', code, expect.any(String)])
  })

  test('a refusal without end is cut, and its connection closed', { timeout: 20_000 }, async () => {
    const { url } = await serve('endless-refusal')
    const { state, failure } = await place.start(entry('endless-refusal', url))
    expect([state, failure?.code, (failure?.message.length ?? 0) < 1_000]).toEqual(['failed', 'BAD_PROTOCOL', true])
    await eventually('the connection to be closed', async () => (await place.effects()).includes('endless-refusal.closed'), 5_000)
  })

  test('nobody listens', async () => {
    const { url, child } = await serve('good')
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))
    const { state, failure } = await place.start(entry('gone', url))
    expect([state, failure?.code]).toEqual(['failed', 'UNREACHABLE'])
  })

  test('a name that leads to this machine is refused where the address does not say so', async () => {
    const { state, failure } = await place.start(entry('inner', `http://${LOOPBACK_NAME}:9/mcp`))
    expect([state, ['ADDRESS_REFUSED', 'UNREACHABLE'].includes(failure?.code ?? '')]).toEqual(['failed', true])
  })
})

/** Resolves to 127.0.0.1 where there is a resolver; where there is none it is merely unknown. */
const LOOPBACK_NAME = 'localtest.me'

describe('a call fails, and says why', () => {
  test.each([
    ['silent-call', 'TIMEOUT'],
    ['drip', 'TIMEOUT'],
    ['endless-body', 'TOO_BIG'],
    ['endless-line', 'TOO_BIG'],
    ['cut-stream', 'OUTCOME_UNKNOWN'],
    ['reset-stream', 'OUTCOME_UNKNOWN'],
    ['reconnect-storm', 'OUTCOME_UNKNOWN'],
    ['huge-headers', 'UNREACHABLE'],
    ['wrong-session', 'OUTCOME_UNKNOWN'],
    ['dies-at-call', 'UNREACHABLE'],
  ])('%s', { timeout: 30_000 }, async (behaviour, code) => {
    const { url } = await serve(behaviour)
    await place.approve(entry(behaviour, url))
    const called = await poke(behaviour)
    expect([called.code, called.text]).toEqual([code, expect.any(String)])
    expect(await place.effects()).toEqual(expect.arrayContaining([`${behaviour}.called-poke`]))
  })
})

test('events without end: the call fails, then the connection is ended', { timeout: 40_000 }, async () => {
  const { url } = await serve('endless-events')
  await place.approve(entry('endless-events', url))
  expect(['TIMEOUT', 'OUTCOME_UNKNOWN']).toContain((await poke('endless-events')).code)
  await eventually('it to be ended', async () => (await place.view('endless-events')).failure?.code === 'FLOOD', 20_000)
})

describe('goes on', () => {
  test('a session the server forgot is begun anew, and the call is made', { timeout: 20_000 }, async () => {
    const { url } = await serve('session-lost')
    await place.approve(entry('session-lost', url))
    expect([(await poke('session-lost')).text, (await poke('session-lost')).text]).toEqual(['poked', 'poked'])
  })

  test('a server restarted between two calls: the second succeeds', { timeout: 20_000 }, async () => {
    const { url, port, child } = await serve('needs-session')
    await place.approve(entry('needs-session', url))
    const first = await poke('needs-session')
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('exit', resolve))
    await serve('needs-session', port)
    expect([first.text, (await poke('needs-session')).text]).toEqual(['poked', 'poked'])
  })

  test('answers in a list', { timeout: 20_000 }, async () => {
    const { url } = await serve('batch-answer')
    await place.approve(entry('batch-answer', url))
    expect((await poke('batch-answer')).text).toBe('in a list')
  })
})
