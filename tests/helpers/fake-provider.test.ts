/** The fake provider is the oracle of many tests, so it is held to its word itself, by plain fetch and sockets. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { connectFakeProvider, monotonicNow, startFakeProvider, type FakeProvider } from './fake-provider.ts'

let fake: FakeProvider
beforeAll(async () => {
  fake = await startFakeProvider()
})
afterAll(() => fake.stop())
beforeEach(() => fake.reset())

const post = (text: string, init: RequestInit = {}) =>
  fetch(`${fake.baseUrl}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: text }] }),
    ...init,
  })
const payloads = (body: string) =>
  body
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map(
      (event) =>
        JSON.parse(event.slice(6)) as {
          choices: {
            delta: { content?: string | null; reasoning_content?: string | null; tool_calls?: { function: { arguments: string } }[] }
          }[]
          usage?: { completion_tokens: number } | null
        },
    )

test('says what it was told to say, and counts what it said', async () => {
  await fake.script([{ thinking: '想一想问题', text: 'Hello, world', toolCalls: [{ name: 'f', args: { a: 1 } }] }])
  const chunks = payloads(await (await post('x')).text())
  const deltas = chunks.flatMap((chunk) => chunk.choices.map((choice) => choice.delta))
  const pieces = (pick: (delta: (typeof deltas)[number]) => string | null | undefined): string[] =>
    deltas.map(pick).filter((piece) => piece !== undefined && piece !== null && piece !== '') as string[]
  const spoken = [
    pieces((delta) => delta.reasoning_content),
    pieces((delta) => delta.content),
    pieces((delta) => delta.tool_calls?.[0]?.function.arguments),
  ]
  expect(spoken.map((part) => part.join(''))).toEqual(['想一想问题', 'Hello, world', '{"a":1}'])
  expect(chunks.find((chunk) => chunk.usage)?.usage?.completion_tokens).toBe(spoken.flat().length)
  expect((await fake.requests())[0]?.tokensSent).toBe(spoken.flat().length)
})

test('keeps to its pace: no token before its time', async () => {
  await fake.script([{ tokens: 50, tokensPerSecond: 100 }])
  const started = monotonicNow()
  await (await post('x')).text()
  const [request] = await fake.requests()
  const took = (request?.lastTokenAt ?? 0) - (request?.firstTokenAt ?? 0)
  expect(took).toBeGreaterThanOrEqual(480)
  expect(request?.arrivedAt).toBeGreaterThanOrEqual(started)
  expect(request?.lastTokenAt).toBeLessThanOrEqual(monotonicNow())
})

test.each([1, 137, 400])('cuts after exactly %i bytes', async (bytes) => {
  await fake.script([{ text: 'x'.repeat(2_000), cutAtByte: bytes, cutHow: 'end' }])
  expect((await (await post('x')).arrayBuffer()).byteLength).toBe(bytes)
})

test('a reset is no clean end', async () => {
  await fake.script([{ text: 'x'.repeat(2_000), cutAtByte: 100 }])
  await expect((await post('x')).text()).rejects.toThrow()
})

test('stalls with the socket open, and sees the client go', async () => {
  await fake.script([{ text: 'x'.repeat(2_000), stallAtByte: 50 }])
  const controller = new AbortController()
  const response = await post('x', { signal: controller.signal })
  const first = await response.body?.getReader().read()
  expect([first?.value?.length, (await fake.requests())[0]?.closedByClientAt]).toEqual([50, undefined])
  controller.abort()
  const [closed] = await fake.waitFor('closed', 1)
  expect([closed?.closedByClientAt !== undefined, closed?.finished]).toEqual([true, false])
})

test('answers by marker, each list in its order, and complains when a list is used up', async () => {
  await fake.script([
    {
      marker: 'ONE',
      answers: [
        { kind: 'status', status: 201 },
        { kind: 'status', status: 202 },
      ],
    },
    { marker: 'TWO', answers: [{ kind: 'status', status: 203 }], repeatLast: true },
  ])
  const statuses: number[] = []
  for (const text of ['a ONE', 'TWO', 'ONE b', 'TWO', 'ONE']) statuses.push((await post(text)).status)
  expect(statuses).toEqual([201, 203, 202, 203, 500])
  expect((await fake.requests()).map((request) => request.marker)).toEqual(['ONE', 'TWO', 'ONE', 'TWO', 'ONE'])
})

test('raw answers are the bytes given, and headers too', async () => {
  await fake.script([
    {
      kind: 'raw',
      status: 418,
      headers: { 'x-a': 'b' },
      chunks: [{ text: 'é' }, { base64: Buffer.from([0xff, 0x00]).toString('base64') }],
    },
  ])
  const response = await post('x')
  expect([response.status, response.headers.get('x-a'), [...new Uint8Array(await response.arrayBuffer())]]).toEqual([
    418,
    'b',
    [0xc3, 0xa9, 0xff, 0x00],
  ])
})

test('comments come before the first token', async () => {
  await fake.script([{ text: 'hi', keepAlive: { count: 2, everyMs: 5 } }])
  expect((await (await post('x')).text()).startsWith(': keep-alive\n\n: keep-alive\n\ndata: ')).toBe(true)
})

test('another process of the test scripts and reads the same provider', async () => {
  const other = connectFakeProvider(fake.baseUrl)
  await other.script([{ text: 'from there' }])
  await (await post('x')).text()
  expect((await other.requests()).length).toBe(1)
})
