/** What the wire adds to Comlink, in one thread and across two; each with the control that Comlink alone lacks it. */
import { MessageChannel } from 'node:worker_threads'
import { afterEach, describe, expect, test } from 'vitest'
import { reactive } from 'vue'
import * as z from 'zod'
import { AppError } from '#contracts/wire/app-error.ts'
import { connect } from '#contracts/wire/connect.ts'
import { defineService } from '#contracts/wire/define-service.ts'
import { expose } from '#contracts/wire/expose.ts'
import type { Port } from '#contracts/wire/port.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { memoryPorts } from '#tests/helpers/memory-ports.ts'
import { places, portOfDeadThread, type ProbePlace } from './probe-places.ts'
import { probeService } from './probe-service.ts'

let place: ProbePlace | undefined
afterEach(async () => {
  await place?.close()
  place = undefined
})

/** The failure of a call as data, or a test failure when it succeeds. */
async function failureOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return { unexpectedValue: await call }
  } catch (error) {
    return error instanceof AppError ? error.toData() : { unexpectedError: error }
  }
}

/** Whether a promise is still open after `milliseconds`; used for controls, where nothing is what must happen. */
async function isPending(call: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const open = Symbol('open')
  const settled = call.then(
    () => undefined,
    () => undefined,
  )
  return (await Promise.race([settled, new Promise((resolve) => setTimeout(resolve, milliseconds, open))])) === open
}

describe.each(Object.entries(places))('%s', (_name, open) => {
  const start = async (): Promise<ProbePlace> => (place = await open())

  test('a call answers, and unknown fields are cut on the way in and out', async () => {
    const { connection } = await start()
    const withExtra = { value: 21, extra: true }
    expect(await connection.client.double(withExtra)).toEqual({ value: 42 })
  })

  test('an error keeps code, message, retryable, params and details', async () => {
    const { connection } = await start()
    expect(await failureOf(connection.client.fail({ how: 'app_error' }))).toEqual({
      code: 'WORKSPACE_IN_USE',
      message: 'held',
      retryable: true,
      params: { pid: 12, path: '/a b/中文' },
      details: { since: [1, 2] },
    })
  })

  test('control: Comlink alone loses the code', async () => {
    const { bare } = await start()
    const error: unknown = await bare.fail().then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({ message: 'held' })
    expect((error as { code?: unknown }).code).toBeUndefined()
  })

  test.each([
    ['system_error', { code: 'ENOSPC', message: 'no space left on device' }],
    ['plain_error', { code: 'INTERNAL', message: 'plain' }],
    ['plain_data', { code: 'NOT_AVAILABLE', message: 'not here' }],
    ['text', { code: 'INTERNAL', message: 'only text' }],
    ['uncloneable_details', { code: 'DISK_FULL', message: 'full' }],
  ] as const)('a thrown %s arrives as data', async (how, expected) => {
    const { connection } = await start()
    expect(await failureOf(connection.client.fail({ how }))).toEqual(expected)
  })

  test('a bad input and a bad output each have a code of their own', async () => {
    const { connection } = await start()
    const codes = await Promise.all(
      [connection.client.double({ value: 'x' as unknown as number }), connection.client.wrongOutput({})].map(async (call) => {
        const failure = (await failureOf(call)) as { code: string; message: string }
        return [failure.code, failure.message.split(':')[0]]
      }),
    )
    expect(codes).toEqual([
      ['BAD_INPUT', 'probe.double'],
      ['BAD_OUTPUT', 'probe.wrongOutput'],
    ])
  })

  test('a call without answer fails at its deadline, and the handler is told', async () => {
    const { connection } = await start()
    expect(await failureOf(connection.client.late({}))).toEqual({
      code: 'CALL_TIMEOUT',
      message: 'probe.late gave no answer within 150 ms',
      retryable: true,
      params: { method: 'probe.late', deadlineMs: 150 },
    })
    expect(connection.pendingCalls()).toEqual([])
    const told = await eventually('the handler to be aborted', async () => {
      const { aborted } = await connection.client.state({})
      return aborted.length > 0 ? aborted : undefined
    })
    expect(told).toEqual(['CALL_CANCELLED'])
  })

  test('the caller may set another deadline', async () => {
    const { connection } = await start()
    expect(await failureOf(connection.client.hang({}, { deadlineMs: 50 }))).toMatchObject({
      code: 'CALL_TIMEOUT',
      params: { deadlineMs: 50 },
    })
  })

  test('control: Comlink alone waits past any deadline', async () => {
    const { bare } = await start()
    expect(await isPending(bare.hang(), 300)).toBe(true)
  })

  test('a cancel fails the call at once and reaches the handler', async () => {
    const { connection } = await start()
    const stop = new AbortController()
    const call = failureOf(connection.client.hang({}, { signal: stop.signal }))
    await eventually('the handler to run', async () => (await connection.client.state({})).started === 1)
    stop.abort()
    expect(await call).toEqual({ code: 'CALL_CANCELLED', message: 'probe.hang was cancelled' })
    await eventually('the handler to be aborted', async () => (await connection.client.state({})).aborted.length === 1)
  })

  test('a cancel with a grace time waits for what was there', async () => {
    const { connection } = await start()
    const stop = new AbortController()
    const call = connection.client.untilCancelled({}, { signal: stop.signal, graceMs: 60_000 })
    await eventually('the handler to run', async () => (await connection.client.state({})).started === 1)
    stop.abort()
    expect(await call).toEqual({ had: 'three lines' })
  })

  test('a handler that ignores the cancel does not outlast the grace time', async () => {
    const { connection } = await start()
    const stop = new AbortController()
    const call = failureOf(connection.client.hang({}, { signal: stop.signal, graceMs: 50 }))
    await eventually('the handler to run', async () => (await connection.client.state({})).started === 1)
    stop.abort()
    expect(await call).toMatchObject({ code: 'CALL_CANCELLED' })
  })

  test('a call whose signal is aborted already is not sent', async () => {
    const { connection } = await start()
    expect(await failureOf(connection.client.hang({}, { signal: AbortSignal.abort() }))).toMatchObject({ code: 'CALL_CANCELLED' })
    expect(await connection.client.state({})).toEqual({ started: 0, aborted: [] })
  })

  test('when the other side dies, every pending call fails, with its name', async () => {
    const { connection, kill } = await start()
    const calls = [connection.client.hang({}), connection.client.untilCancelled({}), connection.client.hang({})].map(failureOf)
    await eventually('the handlers to run', async () => (await connection.client.state({})).started === 3)
    const closed = new Promise<void>((resolve) => connection.onClose(resolve))
    await kill()
    const message = 'probe is gone; calls in flight: hang, untilCancelled, hang'
    expect(await Promise.all(calls)).toEqual(
      ['hang', 'untilCancelled', 'hang'].map((method) => ({
        code: 'WORKER_LOST',
        message,
        retryable: true,
        params: { service: 'probe', method },
      })),
    )
    await closed
    expect(await failureOf(connection.client.double({ value: 1 }))).toMatchObject({ code: 'WORKER_LOST' })
  })

  test('pending calls fail within 100 ms of the death', async () => {
    // The figure is the issue's. A machine that is busy elsewhere gets three tries; one that is too slow by design fails all.
    const times: number[] = []
    for (let attempt = 0; attempt < 3 && !times.some((time) => time <= 100); attempt++) {
      const { connection, kill, close } = await open()
      const failed = Promise.all(Array.from({ length: 50 }, () => failureOf(connection.client.hang({})).then(() => performance.now())))
      await eventually('the handlers to run', async () => (await connection.client.state({})).started === 50)
      await kill()
      const dead = performance.now()
      times.push(Math.max(...(await failed)) - dead)
      await close()
    }
    expect(Math.min(...times)).toBeLessThanOrEqual(100)
  })

  test('control: Comlink alone never settles a call whose other side died', async () => {
    const { bare, kill } = await start()
    const call = bare.hang()
    await bare.anything(1)
    await kill()
    expect(await isPending(call, 500)).toBe(true)
  })

  test('a reactive object is refused, wherever it hides', async () => {
    const { connection } = await start()
    const state = reactive({ text: 'kept by a store', list: [1, 2] })
    for (const input of [state, { deep: [{ state }] }]) {
      expect(await failureOf(connection.client.anything(input))).toMatchObject({
        code: 'NOT_CLONEABLE',
        message: expect.stringMatching(/^probe\.anything: the input cannot cross a thread .* pass plain data, not a reactive object$/),
        params: { method: 'probe.anything', part: 'input' },
      })
    }
    expect(connection.pendingCalls()).toEqual([])
    expect(await connection.client.anything({ text: 'plain' })).toEqual({ text: 'plain' })
  })

  test('an answer that cannot cross is refused as such', async () => {
    const { connection } = await start()
    expect(await failureOf(connection.client.uncloneableOutput({}))).toMatchObject({ code: 'NOT_CLONEABLE', params: { part: 'output' } })
  })

  test('control: Comlink alone refuses a reactive object without a code anyone can act on', async () => {
    const { bare } = await start()
    const error: unknown = await Promise.resolve(bare.anything(reactive({ a: 1 }))).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({ name: 'DataCloneError' })
    expect((error as { code?: unknown }).code).not.toBe('NOT_CLONEABLE')
  })

  test('closing the connection fails what is pending, and says so once', async () => {
    const { connection } = await start()
    const call = failureOf(connection.client.hang({}))
    await eventually('the handler to run', async () => (await connection.client.state({})).started === 1)
    const told: string[] = []
    connection.onClose(() => told.push('before'))
    connection.close()
    expect(await call).toMatchObject({ code: 'WORKER_LOST' })
    connection.onClose(() => told.push('after'))
    connection.close()
    expect(told).toEqual(['before', 'after'])
  })

  test('a hundred calls at once each get their own answer', async () => {
    const { connection } = await start()
    const values = Array.from({ length: 100 }, (_none, index) => index)
    expect(await Promise.all(values.map((value) => connection.client.double({ value })))).toEqual(
      values.map((value) => ({ value: value * 2 })),
    )
  })
})

test('a port named in `transfer` arrives and works in the other thread', async () => {
  place = await places['real thread']()
  const { port1, port2 } = new MessageChannel()
  const heard = new Promise((resolve) => port1.once('message', resolve))
  await place.connection.client.speakOn({ text: '听到', port: port2 as unknown as Port })
  expect(await heard).toBe('听到')
  port1.close()
})

test('control: Comlink alone turns an AbortSignal into a plain object', async () => {
  place = await places['in-memory pair']()
  const outcome = await place.bare.untilAborted(new AbortController().signal).then(
    (type) => type,
    (error: unknown) => (error as Error).name,
  )
  expect(['undefined', 'DataCloneError']).toContain(outcome)
})

test('when the caller is gone, its handlers are told', async () => {
  const { port1, port2 } = new MessageChannel()
  const reasons: unknown[] = []
  const service = defineService({ name: 'one', methods: { wait: { input: z.object({}), output: z.object({}), deadlineMs: Infinity } } })
  const running = Promise.withResolvers<void>()
  expose(
    service,
    {
      wait: (_input, { signal }) => {
        signal.addEventListener('abort', () => reasons.push(signal.reason))
        running.resolve()
        return new Promise(() => {})
      },
    },
    port2 as unknown as Port,
  )
  const connection = connect(service, port1 as unknown as Port)
  const call = failureOf(connection.client.wait({}))
  await running.promise
  connection.close()
  await call
  expect(await eventually('the handler to be told', () => reasons[0])).toMatchObject({ code: 'WORKER_LOST' })
})

test('a method the other side does not know fails by name, also one that every object has', async () => {
  const method = { input: z.object({}), output: z.object({}), deadlineMs: 60_000 }
  const [near, far] = memoryPorts()
  expose(defineService({ name: 'old', methods: { known: method } }), { known: () => ({}) }, far)
  const { client } = connect(defineService({ name: 'old', methods: { known: method, newer: method, toString: method } }), near)
  expect(await client.known({})).toEqual({})
  expect([await failureOf(client.newer({})), await failureOf(client.toString({}))]).toEqual([
    { code: 'UNKNOWN_METHOD', message: 'old.newer does not exist' },
    { code: 'UNKNOWN_METHOD', message: 'old.toString does not exist' },
  ])
})

test('an error keeps its code over two hops', async () => {
  place = await places['real thread']()
  const inner = place.connection.client
  const [near, far] = memoryPorts()
  const relay = defineService({ name: 'relay', methods: { fail: { input: z.object({}), output: z.object({}), deadlineMs: 60_000 } } })
  expose(relay, { fail: () => inner.fail({ how: 'app_error' }) }, far)
  expect(await failureOf(connect(relay, near).client.fail({}))).toMatchObject({ code: 'WORKSPACE_IN_USE', params: { pid: 12 } })
})

test.each([false, true])('a connection to a thread that is dead already fails its calls (its port had said so: %s)', async (told) => {
  const port = await portOfDeadThread(told)
  const connection = connect(probeService, port as unknown as Port)
  expect(await failureOf(connection.client.hang({}))).toMatchObject({ code: 'WORKER_LOST' })
})

test('a connection to an end that was closed before it was made fails its calls', async () => {
  const [near, far] = memoryPorts()
  far.close()
  const connection = connect(probeService, near)
  expect(await failureOf(connection.client.hang({}))).toMatchObject({ code: 'WORKER_LOST' })
})
