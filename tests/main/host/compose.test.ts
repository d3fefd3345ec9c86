import { MessageChannel } from 'node:worker_threads'
import { afterEach, describe, expect, test } from 'vitest'
import { composeHost, type Host, type HostOptions } from '#main/host/compose.ts'
import type { Port } from '#contracts/wire/port.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { UNRULY_ENTRY } from '#tests/helpers/unruly-host.ts'

let host: Host

function start(options: Partial<HostOptions> = {}): Host {
  host = composeHost({ profile: '/nowhere', bundles: '/nowhere', entryFor: () => UNRULY_ENTRY, ...options })
  return host
}

afterEach(() => host.stop(5_000))

/** A client that writes down all it is told. */
function listen(port: Port): { told: unknown[]; closed: () => boolean } {
  const told: unknown[] = []
  let closed = false
  port.addEventListener('message', (event) => told.push(event.data))
  port.addEventListener('close', () => (closed = true))
  port.start()
  return { told, closed: () => closed }
}

describe('clients', () => {
  test('what a client says before the session worker exists is not lost', async () => {
    start()
    const port = host.connect()
    const { told } = listen(port)
    port.postMessage({ do: 'echo', text: 'early' })
    await eventually('the answer', () => told.length === 1)
    expect(told[0]).toMatchObject({ worker: 'session', text: 'early' })
  })

  test('each client has its own way to the session worker', async () => {
    start()
    const left = host.connect()
    const right = host.connect()
    const [toLeft, toRight] = [listen(left), listen(right)]
    left.postMessage({ do: 'echo', text: 'left' })
    right.postMessage({ do: 'echo', text: 'right' })
    await eventually('both answers', () => toLeft.told.length === 1 && toRight.told.length === 1)
    expect([toLeft.told[0], toRight.told[0]]).toMatchObject([{ text: 'left' }, { text: 'right' }])
    expect(host.health().clients).toBe(2)
  })

  test('a client that closes is forgotten', async () => {
    start()
    const { port1, port2 } = new MessageChannel()
    host.attach(port2 as unknown as Port, { remote: false })
    expect(host.health().clients).toBe(1)
    port1.close()
    await eventually('the client to be forgotten', () => host.health().clients === 0)
    expect(host.health().clients).toBe(0)
  })

  test('after the session worker’s death each client is told once and goes on with the new one', async () => {
    start()
    const local = host.connect()
    const { port1, port2 } = new MessageChannel()
    host.attach(port2 as unknown as Port, { remote: true })
    const toLocal = listen(local)
    const toRemote = listen(port1 as unknown as Port)
    local.postMessage({ do: 'echo', text: 'before' })
    await eventually('the first answer', () => toLocal.told.length === 1)
    local.postMessage({ do: 'exit' })
    await eventually('both to be told', () => toLocal.told.length === 2 && toRemote.told.length === 1)
    expect(toLocal.told[1]).toEqual({ type: 'reset', reason: 'exited' })
    expect(JSON.parse(toRemote.told[0] as string)).toEqual({ type: 'reset', reason: 'exited' })
    local.postMessage({ do: 'echo', text: 'after' })
    port1.postMessage({ do: 'echo', text: 'remote after' })
    await eventually('the answers of the new worker', () => toLocal.told.length === 3 && toRemote.told.length === 2)
    expect([toLocal.told[2], toRemote.told[1]]).toMatchObject([{ text: 'after' }, { text: 'remote after' }])
    port1.close()
  })

  test('a session worker that cannot be kept closes every client and is reported', async () => {
    const failures: unknown[] = []
    start({ restart: { delaysMs: [], windowMs: 60_000 }, onFailed: (exit) => failures.push(exit) })
    const client = host.connect()
    const { closed } = listen(client)
    client.postMessage({ do: 'exit' })
    await eventually('the client to be closed', closed)
    expect(failures).toMatchObject([{ name: 'session', reason: 'exited', restarting: false }])
  })

  test('stopping closes the clients and leaves no thread', async () => {
    start()
    const { closed } = listen(host.connect())
    host.warm('llm', 'storage')
    await host.stop(5_000)
    expect(closed()).toBe(true)
    expect(host.health().workers.map((worker) => worker.threadId)).toEqual([undefined, undefined, undefined, undefined])
  })
})

describe('what a worker may ask the host', () => {
  test('only the injected native services, by their own names', async () => {
    start({ native: { readSecret: (options) => Promise.resolve(`secret ${options.name}`) } })
    const client = host.connect()
    const { told } = listen(client)
    for (const method of ['readSecret', 'notify', 'constructor', 'toString'])
      client.postMessage({ do: 'native', method, params: { name: 'x' } })
    await eventually('four answers', () => told.length === 4)
    expect(told).toMatchObject([{ value: 'secret x' }, { error: 'NOT_AVAILABLE' }, { error: 'NOT_AVAILABLE' }, { error: 'NOT_AVAILABLE' }])
  })

  test('the host’s own health', async () => {
    start()
    const client = host.connect()
    const { told } = listen(client)
    client.postMessage({ do: 'native', method: 'hostHealth', params: {} })
    await eventually('the answer', () => told.length === 1)
    expect(told[0]).toMatchObject({ value: { clients: 1, commandHost: false, loopDelay: { maxMs: expect.any(Number) } } })
  })

  test('a command host of its own for each time it is asked for one, the one before being ended', async () => {
    const stopped: number[] = []
    let launched = 0
    start({
      launchCommandHost: () => {
        const number = launched++
        return Promise.resolve({
          socketPath: `/run/${number}.sock`,
          token: 't',
          onExit: () => undefined,
          stop: () => Promise.resolve(void stopped.push(number)),
        })
      },
    })
    const client = host.connect()
    const { told } = listen(client)
    client.postMessage({ do: 'command_host' })
    await eventually('the first address', () => told.length === 1)
    expect(stopped).toEqual([])
    client.postMessage({ do: 'command_host' })
    await eventually('the second address', () => told.length === 2)
    expect(told).toMatchObject([{ value: { socketPath: '/run/0.sock', token: 't' } }, { value: { socketPath: '/run/1.sock', token: 't' } }])
    expect(stopped).toEqual([0])
    await host.stop(5_000)
    expect(stopped).toEqual([0, 1])
  })

  test('a command host that died is no longer held', async () => {
    let die: () => void = () => undefined
    start({
      launchCommandHost: () =>
        Promise.resolve({
          socketPath: '/run/x.sock',
          token: 't',
          onExit: (listener: () => void) => (die = listener),
          stop: () => Promise.resolve(),
        }),
    })
    const client = host.connect()
    const { told } = listen(client)
    client.postMessage({ do: 'command_host' })
    await eventually('the address', () => told.length === 1)
    expect(host.health().commandHost).toBe(true)
    die()
    expect(host.health().commandHost).toBe(false)
  })
})

test('power changes reach every running worker', async () => {
  const logs: string[] = []
  start({ onLog: (name, _level, message) => logs.push(`${name} ${message}`) })
  host.warm('session', 'llm')
  await eventually('both to run', () => host.health().workers.filter((worker) => worker.state === 'running').length === 2)
  host.power('suspend')
  await eventually('both to be told', () => logs.includes('session power suspend') && logs.includes('llm power suspend'))
  expect(logs).toContain('session power suspend')
})
