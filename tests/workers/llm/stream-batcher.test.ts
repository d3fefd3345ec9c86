import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { LlmBatch } from '#contracts/llm/llm-service.ts'
import type { MetonaStreamEvent } from '#contracts/metona/metona-response.ts'
import type { Port } from '#contracts/wire/port.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { BATCH_LENGTH, MAX_UNACKNOWLEDGED, StreamBatcher } from '#workers/llm/stream-batcher.ts'

let receiver: MessagePort
let batcher: StreamBatcher
let received: LlmBatch[]
let closed: boolean

beforeEach(() => {
  const channel = new MessageChannel()
  receiver = channel.port1
  received = []
  closed = false
  receiver.on('message', (batch: LlmBatch) => received.push(batch))
  receiver.on('close', () => (closed = true))
  batcher = new StreamBatcher(channel.port2 as unknown as Port)
})
afterEach(() => {
  batcher.close()
  receiver.close()
})

const text = (delta: string): MetonaStreamEvent => ({ type: 'text_delta', delta })
const arrived = (count: number) => eventually(`${count} batches`, () => received.length >= count && received)

test('deltas of one part that come together become one', async () => {
  for (const piece of ['a', 'b', 'c']) batcher.add(text(piece))
  expect(await arrived(1)).toEqual([{ events: [text('abc')] }])
})

test('deltas of different parts stay apart and in order', async () => {
  const call = (toolCallId: string, delta: string): MetonaStreamEvent => ({ type: 'tool_call_delta', toolCallId, delta })
  for (const event of [
    { type: 'reasoning_delta', delta: 'r' } as const,
    text('a'),
    text('b'),
    call('x', '1'),
    call('y', '2'),
    call('y', '3'),
    text('c'),
  ])
    batcher.add(event)
  expect(await arrived(1)).toEqual([
    { events: [{ type: 'reasoning_delta', delta: 'r' }, text('ab'), call('x', '1'), call('y', '23'), text('c')] },
  ])
})

test('the caller’s event objects are not changed', () => {
  const first = text('a')
  batcher.add(first)
  batcher.add(text('b'))
  expect(first).toEqual(text('a'))
})

test('2 KB go out without waiting', () => {
  const posts: LlmBatch[] = []
  const channel = new MessageChannel()
  const direct = new StreamBatcher({ ...portOf(channel.port2), postMessage: (batch) => void posts.push(batch as LlmBatch) })
  direct.add(text('x'.repeat(BATCH_LENGTH - 1)))
  expect(posts.length).toBe(0)
  direct.add(text('yz'))
  expect(posts.length).toBe(1)
  direct.close()
  channel.port1.close()
})

test('anything else than a delta takes what waits with it, before itself', async () => {
  batcher.add(text('a'))
  const usage: MetonaStreamEvent = { type: 'usage', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }
  batcher.add(usage)
  batcher.add({ type: 'done', finishReason: 'stop' })
  expect(await arrived(1)).toEqual([{ events: [text('a'), usage, { type: 'done', finishReason: 'stop' }] }])
})

test('a notice comes after the text before it', async () => {
  batcher.add(text('a'))
  batcher.post({ retry: { attempt: 1, reason: 'busy', delayMs: 5 } })
  batcher.add(text('b'))
  batcher.close()
  expect(await arrived(3)).toEqual([
    { events: [text('a')] },
    { retry: { attempt: 1, reason: 'busy', delayMs: 5 } },
    { events: [text('b')] },
  ])
})

test('closing delivers everything, then closes the port', async () => {
  batcher.add(text('last words'))
  batcher.close()
  await eventually('the port’s end', () => closed)
  expect(received).toEqual([{ events: [text('last words')] }])
})

test('a stream of many small deltas makes far fewer posts', async () => {
  for (let index = 0; index < 10_000; index += 1) batcher.add(text('abcde'))
  batcher.close()
  await eventually('the port’s end', () => closed)
  const whole = received.flatMap((batch) => ('events' in batch ? batch.events : [])).map((event) => ('delta' in event ? event.delta : ''))
  expect([whole.join('').length, received.length <= 10_000 / 400]).toEqual([50_000, true])
})

test('a receiver that acknowledges closes the gate when it is 64 posts behind, and opens it again', async () => {
  receiver.postMessage({ ack: 0 })
  const fill = (): void => {
    batcher.add(text('x'.repeat(BATCH_LENGTH)))
  }
  await eventually('the first acknowledgement to count', () => {
    if (batcher.gate() !== undefined) return true
    for (let post = 0; post < MAX_UNACKNOWLEDGED; post += 1) fill()
    return batcher.gate() !== undefined
  })
  const gate = batcher.gate()
  await eventually('the open gate', () => {
    receiver.postMessage({ ack: received.length })
    return batcher.gate() === undefined
  })
  await gate
  expect(received.length).toBeGreaterThan(0)
})

test('a receiver that never acknowledges is never waited for', () => {
  for (let post = 0; post < MAX_UNACKNOWLEDGED * 3; post += 1) batcher.add(text('x'.repeat(BATCH_LENGTH)))
  expect(batcher.gate()).toBeUndefined()
})

test('a receiver that goes away opens the gate', async () => {
  receiver.postMessage({ ack: 0 })
  await eventually('a closed gate', () => {
    for (let post = 0; post < MAX_UNACKNOWLEDGED; post += 1) batcher.add(text('x'.repeat(BATCH_LENGTH)))
    return batcher.gate() !== undefined
  })
  const gate = batcher.gate()
  receiver.close()
  await gate
  expect(batcher.gate()).toBeUndefined()
})

function portOf(port: MessagePort): Port {
  const real = port as unknown as Port
  return {
    postMessage: (message, transfer) => real.postMessage(message, transfer),
    addEventListener: (type, listener) => real.addEventListener(type, listener),
    removeEventListener: (type, listener) => real.removeEventListener(type, listener),
    start: () => real.start(),
    close: () => real.close(),
  }
}

test('a stream nobody watches waits for its pace, and goes at once when somebody looks', async () => {
  batcher.add(text('first'))
  await arrived(1)
  receiver.postMessage({ pace: 60_000 })
  receiver.postMessage({ ack: 1 })
  // The two travel in order: once the second had its effect, the first has it too.
  await eventually('the acknowledgement', () => batcher.acknowledged === 1)
  batcher.add(text(' second'))
  batcher.add(text(' third'))
  receiver.postMessage({ pace: 16 })
  expect((await arrived(2))[1]).toEqual({ events: [text(' second third')] })
})
