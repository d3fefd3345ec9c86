// long: waits for stuck workers
import { threadId as ownThreadId } from 'node:worker_threads'
import { afterEach, describe, expect, test } from 'vitest'
import { AppError } from '#contracts/wire/app-error.ts'
import type { SupervisorOptions } from '#main/host/supervisor.ts'
import type { WorkerExitReason } from '#main/host/worker-exit.ts'
import type { WorkerName } from '#contracts/wire/worker-lifecycle.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { unrulyHost, type UnrulyHost } from '#tests/helpers/unruly-host.ts'
import type { UnrulyRequest } from '#tests/helpers/unruly-worker.ts'

const NAMES: readonly WorkerName[] = ['session', 'llm', 'tools', 'storage']
let host: UnrulyHost

function start(options: Partial<SupervisorOptions> = {}): UnrulyHost {
  host = unrulyHost(options)
  return host
}

afterEach(async () => {
  await host.supervisor.stop()
})

describe('starting', () => {
  test('a worker is a thread only from its first need on', async () => {
    start()
    expect(host.supervisor.worker('llm').state()).toBe('idle')
    expect(host.supervisor.worker('llm').threadId()).toBeUndefined()
    await host.supervisor.ensure('llm')
    expect(host.supervisor.worker('llm').state()).toBe('starting')
    await eventually('llm to run', () => host.supervisor.worker('llm').state() === 'running')
    expect(host.supervisor.health().map(({ name, state }) => ({ name, state }))).toEqual([
      { name: 'session', state: 'idle' },
      { name: 'llm', state: 'running' },
      { name: 'tools', state: 'idle' },
      { name: 'storage', state: 'idle' },
    ])
  })

  test('many needs at once make one thread', async () => {
    start()
    const talks = await Promise.all(Array.from({ length: 20 }, () => host.talk('tools')))
    const ids = await Promise.all(talks.map(async (talk) => (await talk.ask({ do: 'echo', text: 'hi' })).threadId))
    expect(new Set(ids).size).toBe(1)
  })

  test('every worker has a thread of its own, none the host’s', async () => {
    start()
    const ids = await Promise.all(NAMES.map(async (name) => (await (await host.talk(name)).ask({ do: 'echo', text: 'hi' })).threadId))
    expect(new Set([...ids, ownThreadId]).size).toBe(5)
  })

  test('a worker that is never ready is given up within its budget and its need fails', async () => {
    start({ entryFor: () => '/nowhere/entry.js', restart: { delaysMs: [0, 10], windowMs: 60_000 } })
    await host.supervisor.ensure('llm')
    await eventually('the budget to end', () => host.supervisor.worker('llm').state() === 'failed')
    expect(host.exits.map(({ reason, restarting }) => ({ reason, restarting }))).toEqual([
      { reason: 'threw', restarting: true },
      { reason: 'threw', restarting: true },
      { reason: 'threw', restarting: false },
    ])
    await expect(host.supervisor.ensure('llm')).rejects.toMatchObject({ code: 'WORKER_FAILED', params: { worker: 'llm' } })
  })

  test('a worker given up is tried again once its deaths are old', async () => {
    start({ entryFor: () => '/nowhere/entry.js', restart: { delaysMs: [0], windowMs: 300 } })
    await host.supervisor.ensure('llm')
    await eventually('the budget to end', () => host.supervisor.worker('llm').state() === 'failed')
    const deaths = host.exits.length
    const tried = await eventually('the worker to be tried again', async () => {
      await host.supervisor.ensure('llm').catch(() => undefined)
      return host.exits.length > deaths
    })
    expect(tried).toBe(true)
  })

  test('a worker that hangs while loading is ended at the start deadline', async () => {
    start({
      entryFor: () => new URL('data:text/javascript,for(;;);'),
      timing: { llm: { startDeadlineMs: 300 } },
      restart: { delaysMs: [], windowMs: 60_000 },
    })
    await host.supervisor.ensure('llm')
    await eventually('the start to be given up', () => host.exits.length > 0)
    expect(host.exits[0]).toMatchObject({ name: 'llm', reason: 'start_timeout', restarting: false })
  })
})

describe('joining', () => {
  test('a needed peer is started and joined by a channel', async () => {
    start()
    const session = await host.talk('session')
    expect(await session.ask({ do: 'ask_peer', peer: 'storage', text: 'hello' })).toMatchObject({ worker: 'storage', text: 'hello' })
    expect(host.supervisor.worker('storage').state()).toBe('running')
  })

  test('the death of one peer closes the other’s port', async () => {
    start()
    const session = await host.talk('session')
    await session.ask({ do: 'ask_peer', peer: 'llm', text: 'hello' })
    const llm = await host.talk('llm')
    llm.tell({ do: 'exit' })
    await eventually('the session worker to see its port close', () => session.received.some((reply) => reply.text === 'peer closed'))
    // A port closes a little before its thread counts as ended, so one more port may come from the thread that is dying.
    const again = await eventually('the new llm worker to answer', async () => {
      const reply = await session.ask({ do: 'ask_peer', peer: 'llm', text: 'again' })
      return reply.text === 'again' ? reply : undefined
    })
    expect(again).toMatchObject({ worker: 'llm', text: 'again' })
  })

  test('a peer that cannot be started is told with its reason', async () => {
    const unruly = start({ restart: { delaysMs: [], windowMs: 60_000 } })
    const llm = await unruly.talk('llm')
    llm.tell({ do: 'exit' })
    await eventually('llm to be given up', () => unruly.supervisor.worker('llm').state() === 'failed')
    const session = await unruly.talk('session')
    expect(await session.ask({ do: 'ask_peer', peer: 'llm', text: 'hello' })).toMatchObject({ error: 'WORKER_FAILED' })
  })

  test('a command host that cannot be started is told with its reason', async () => {
    start()
    expect(await (await host.talk('tools')).ask({ do: 'command_host' })).toMatchObject({ error: 'NOT_AVAILABLE' })
  })

  test('the command host’s address reaches the worker that asked', async () => {
    start({ commandHost: () => Promise.resolve({ socketPath: '/run/x.sock', token: 'once' }) })
    expect(await (await host.talk('tools')).ask({ do: 'command_host' })).toMatchObject({
      value: { socketPath: '/run/x.sock', token: 'once' },
    })
  })

  test('native requests are answered from what was injected, failures keep their code', async () => {
    start({
      native: (method, params) =>
        method === 'readSecret'
          ? Promise.resolve({ asked: params })
          : Promise.reject(new AppError({ code: 'NOT_AVAILABLE', message: method })),
    })
    const llm = await host.talk('llm')
    expect(await llm.ask({ do: 'native', method: 'readSecret', params: { name: 'k' } })).toMatchObject({ value: { asked: { name: 'k' } } })
    expect(await llm.ask({ do: 'native', method: 'notify', params: {} })).toMatchObject({ error: 'NOT_AVAILABLE' })
  })

  test('an answer that cannot cross a thread fails the request, not the host', async () => {
    start({ native: () => Promise.resolve(() => 'a function') })
    expect(await (await host.talk('llm')).ask({ do: 'native', method: 'readSecret', params: {} })).toMatchObject({ error: 'NOT_CLONEABLE' })
  })

  test('what a worker prints goes to the log, never to the shell’s own output', async () => {
    start()
    await (await host.talk('llm')).ask({ do: 'print' })
    const line = await eventually('the printed line', () => host.logs.find((entry) => entry.message.includes('printed by the worker')))
    expect(line).toMatchObject({ name: 'llm', level: 'warn' })
  })
})

/** The eight deaths; what the supervisor must report for each. */
const DEATHS: readonly { death: string; request: UnrulyRequest | 'terminate'; reason: WorkerExitReason }[] = [
  { death: 'heap under its limit', request: { do: 'heap' }, reason: 'out_of_memory' },
  { death: 'spin', request: { do: 'spin' }, reason: 'unresponsive' },
  { death: 'process.exit', request: { do: 'exit' }, reason: 'exited' },
  { death: 'throw', request: { do: 'throw' }, reason: 'threw' },
  { death: 'unhandled rejection', request: { do: 'reject' }, reason: 'threw' },
  { death: 'stack overflow', request: { do: 'overflow' }, reason: 'threw' },
  { death: 'message flood', request: { do: 'flood' }, reason: 'message_flood' },
  { death: 'terminate()', request: 'terminate', reason: 'exited' },
]

describe.each(NAMES)('deaths of %s', (name) => {
  test.each(DEATHS)('$death: reported, restarted, and works again; the others never notice', async ({ request, reason }) => {
    const other = name === 'storage' ? 'llm' : 'storage'
    start({
      limits: { [name]: { maxOldGenerationSizeMb: 24 } },
      timing: { [name]: { heartbeat: { intervalMs: 100, missLimit: 30 } } },
    })
    const bystander = await host.talk(other)
    const bystanderThread = (await bystander.ask({ do: 'echo', text: 'before' })).threadId
    const talk = await host.talk(name)
    const before = (await talk.ask({ do: 'echo', text: 'before' })).threadId

    if (request === 'terminate') void host.supervisor.worker(name).thread()?.terminate()
    else talk.tell(request)
    await talk.closed
    await eventually('the death to be reported', () => host.exits.length > 0)
    expect(host.exits).toEqual([{ name, reason, message: expect.any(String), restarting: true }])

    const after = await (await host.talk(name)).ask({ do: 'echo', text: 'after' })
    expect(after).toMatchObject({ worker: name, text: 'after' })
    expect(after.threadId).not.toBe(before)
    expect((await bystander.ask({ do: 'echo', text: 'still here' })).threadId).toBe(bystanderThread)
    expect(host.supervisor.health().find((entry) => entry.name === name)?.restarts).toBe(1)
  })
})

describe('heartbeat', () => {
  test('a long block that ends in time is no death', async () => {
    start({ timing: { storage: { heartbeat: { intervalMs: 100, missLimit: 100 } } } })
    const storage = await host.talk('storage')
    expect(await storage.ask({ do: 'block', milliseconds: 1_000 })).toMatchObject({ text: 'done' })
    expect(host.exits).toEqual([])
  })

  test('control: without a heartbeat a spinning worker stays for ever', async () => {
    start({ timing: { llm: { heartbeat: { intervalMs: 1_000_000, missLimit: 1 }, stopDeadlineMs: 200 } } })
    const llm = await host.talk('llm')
    await llm.ask({ do: 'echo', text: 'hi' })
    llm.tell({ do: 'spin' })
    const winner = await Promise.race([
      llm.closed.then(() => 'ended'),
      new Promise((resolve) => setTimeout(() => resolve('still spinning'), 2_500)),
    ])
    expect(winner).toBe('still spinning')
  })
})

describe('stopping', () => {
  test('a worker that stops when asked ends without being reported', async () => {
    start()
    await (await host.talk('llm')).ask({ do: 'echo', text: 'hi' })
    await host.supervisor.stop()
    expect(host.supervisor.worker('llm').state()).toBe('stopped')
    expect(host.supervisor.worker('llm').threadId()).toBeUndefined()
    expect(host.exits).toEqual([])
  })

  test.each<UnrulyRequest['do'] & ('ignore_stop' | 'spin')>(['ignore_stop', 'spin'])(
    'a worker that does not stop when asked (%s) is terminated after the deadline',
    async (unwilling) => {
      start({ timing: { llm: { stopDeadlineMs: 300 } } })
      const llm = await host.talk('llm')
      await llm.ask({ do: 'echo', text: 'hi' })
      if (unwilling === 'spin') llm.tell({ do: 'spin' })
      else await llm.ask({ do: 'ignore_stop' })
      await host.supervisor.stop()
      await llm.closed
      expect(host.supervisor.worker('llm').state()).toBe('stopped')
    },
  )

  test('nothing is started once the host is stopping', async () => {
    start()
    await host.supervisor.ensure('llm')
    await host.supervisor.stop()
    await expect(host.supervisor.ensure('llm')).rejects.toMatchObject({ code: 'HOST_STOPPING' })
    expect(host.supervisor.worker('llm').threadId()).toBeUndefined()
  })

  test('start and stop of one worker never interleave', async () => {
    start()
    const worker = host.supervisor.worker('tools')
    const states: string[] = []
    const note = (what: string) => () => states.push(`${what}: ${worker.state()}`)
    await Promise.all([
      worker.start().then(note('start')),
      worker.stop().then(note('stop')),
      worker.start().then(note('start')),
      worker.stop().then(note('stop')),
    ])
    expect(states).toEqual(['start: starting', 'stop: stopped', 'start: starting', 'stop: stopped'])
  })

  test('a stop during the back-off ends the wait for good', async () => {
    start({ restart: { delaysMs: [200], windowMs: 60_000 } })
    const llm = await host.talk('llm')
    llm.tell({ do: 'exit' })
    await eventually('the death', () => host.exits.length === 1)
    await host.supervisor.stop()
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(host.supervisor.worker('llm').threadId()).toBeUndefined()
  })
})
