/** What holds for every provider in the registry. A provider added there is tested here without an edit, unless its wire is new. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  MetonaResponseSchema,
  MetonaStreamEventSchema,
  type MetonaResponse,
  type MetonaStreamEvent,
} from '#contracts/metona/metona-response.ts'
import type { MetonaToolDef } from '#contracts/metona/metona-tool.ts'
import { startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'
import { proof } from '#tests/helpers/proof.ts'
import type { ProviderAdapter, StreamOptions } from '#workers/llm/adapters/provider-module.ts'
import { registry } from '#workers/llm/adapters/registry.ts'
import { createTransport } from '#workers/llm/adapters/transport.ts'
import { createModelTable } from '#workers/llm/domain/model-table.ts'
import { adapterOn, byteTransport, bytes, jsonAnswer, requestFor, run, type Answer, type Decoded } from './adapter-harness.ts'
import { wires, type Sample, type Wire } from './wire-samples.ts'

const tools: MetonaToolDef[] = [
  {
    name: 'read_file',
    description: 'Reads',
    parameters: { type: 'object', properties: { file_path: { type: 'string' } }, required: ['file_path'] },
  },
  { name: 'get_time', description: 'Time', parameters: { type: 'object', properties: {} } },
]
const request = (text = 'go') => requestFor('test-model', { tools, messages: [{ role: 'user', content: text, timestamp: 1 }] })

/** Asks each adapter where it sends its requests. One that sends none has no wire. */
async function wireOf(provider: string): Promise<Wire | undefined> {
  const transport = byteTransport({})
  await run(await adapterOn(provider, transport), request())
  const asked = transport.seen.findLast((seen) => seen.method === 'POST' && !seen.path.endsWith('/api/show'))
  if (asked === undefined) return undefined
  const wire = wires.find((candidate) => asked.path.endsWith(candidate.path))
  if (wire === undefined) throw new Error(`${provider} asks at ${asked.path}: write samples for that wire`)
  return wire
}

const withWire: [string, Wire][] = []
const withoutWire: string[] = []
for (const provider of Object.keys(registry)) {
  const wire = await wireOf(provider)
  if (wire === undefined) withoutWire.push(provider)
  else withWire.push([provider, wire])
}

const on = async (provider: string, wire: Wire, answer: Answer): Promise<Decoded> =>
  run(await adapterOn(provider, byteTransport({ [wire.path]: answer })), request())
const streamed = (wire: Wire, sample: Sample): Answer => ({ chunks: [bytes(wire.stream(sample).body)] })
const types = (events: readonly MetonaStreamEvent[]): string[] => events.map((event) => event.type)
const summary = (response: MetonaResponse) => [
  response.finishReason,
  response.content,
  response.toolCalls?.map((call) => [call.name, call.args]),
]

function expectSound({ events, response }: Decoded): void {
  for (const event of events) MetonaStreamEventSchema.parse(event)
  MetonaResponseSchema.parse(response)
  expect(types(events).filter((type) => type === 'done')).toEqual(['done'])
  expect(events.at(-1)).toEqual({ type: 'done', finishReason: response.finishReason })
  expect(events.flatMap((event) => (event.type === 'text_delta' ? [event.delta] : [])).join('')).toBe(response.content)
  expect(response.error !== undefined).toBe(['error', 'aborted', 'content_filter'].includes(response.finishReason))
}

/** At least 20 KB on this wire, with characters of one to four bytes, thoughts, and two calls. */
function longStream(wire: Wire): { all: Uint8Array; finishedAt: number } {
  const words = ['plain ', 'текст ', '中文字 ', '🌍🚀 ', 'é ', '"quoted\\n" ']
  const part = (count: number, seed: number): string[] =>
    Array.from({ length: count }, (_, index) => `${words[(index * 7 + seed) % words.length] ?? ''}${index} `)
  for (let count = 30; ; count += 5) {
    const { body, finishedAt } = wire.stream({
      thinking: part(count, 1),
      text: part(count * 2, 2),
      calls: [
        { name: 'read_file', args: JSON.stringify({ file_path: '数据/🌍.csv' }) },
        { name: 'get_time', args: '{"zone":"北京"}' },
      ],
    })
    if (Buffer.byteLength(body) >= 20_000) return { all: bytes(body), finishedAt }
  }
}

/** Cuts the stream at every `step`th byte, and at every one near its end, and lists what was shown that should not have been. */
async function faultsOfCuts(
  { all, finishedAt }: { all: Uint8Array; finishedAt: number },
  text: string,
  step: number,
  readCut: (bytes: Uint8Array, end: 'close' | 'reset') => Promise<Decoded>,
): Promise<string[]> {
  const faults: string[] = []
  for (let at = 0; at < all.length; at += at > finishedAt - 300 ? 1 : step) {
    for (const end of ['close', 'reset'] as const) {
      const { response, events } = await readCut(all.subarray(0, at), end)
      const complete = response.finishReason !== 'error'
      const shown = JSON.stringify([response, events])
      if (complete !== at >= finishedAt) faults.push(`${end} at ${at}: ${response.finishReason}`)
      if (!complete && (response.toolCalls !== undefined || events.some((event) => event.type === 'tool_call_complete')))
        faults.push(`${end} at ${at}: a call`)
      if (!text.startsWith(response.content)) faults.push(`${end} at ${at}: text`)
      if (shown.includes('\uFFFD') || /\\ud[89a-f]/i.test(shown)) faults.push(`${end} at ${at}: broken character`)
    }
  }
  return faults
}

describe.each(withWire)('%s', (provider, wire) => {
  test('a plain answer', async () => {
    const decoded = await on(provider, wire, streamed(wire, { text: ['Hel', 'lo'] }))
    expectSound(decoded)
    expect(summary(decoded.response)).toEqual(['stop', 'Hello', undefined])
  })

  test('order: thinking, text, calls, usage, done', async () => {
    const decoded = await on(
      provider,
      wire,
      streamed(wire, { thinking: ['hm'], text: ['a'], calls: [{ name: 'get_time', args: '{"zone":1}' }] }),
    )
    expectSound(decoded)
    const order = types(decoded.events).filter((type) => type !== 'tool_call_delta')
    expect(order).toEqual([
      'thinking_start',
      'reasoning_delta',
      'thinking_end',
      'text_delta',
      'tool_call_start',
      'tool_call_complete',
      'usage',
      'done',
    ])
  })

  test('the same answer in one document', async () => {
    const adapter = await adapterOn(provider, byteTransport({ [wire.path]: jsonAnswer(wire.document('Hello 🌍')) }))
    const sent = await run(adapter, { ...request(), params: { stream: false, thinkingEnabled: false } })
    const served = await run(adapter, request())
    expect([summary(sent.response), summary(served.response)]).toEqual([
      ['stop', 'Hello 🌍', undefined],
      ['stop', 'Hello 🌍', undefined],
    ])
  })

  test('an empty answer is an end, and said to be empty', async () => {
    const decoded = await on(provider, wire, streamed(wire, {}))
    expectSound(decoded)
    expect([decoded.response.finishReason, decoded.response.content, decoded.response.notices?.map((notice) => notice.code)]).toEqual([
      'stop',
      '',
      ['empty_answer'],
    ])
  })

  test('no bytes at all is no answer', async () => {
    const decoded = await on(provider, wire, { chunks: [] })
    expectSound(decoded)
    expect([decoded.response.finishReason, decoded.response.error?.retryable]).toEqual(['error', true])
  })

  test('a prompt that is too long', async () => {
    const { response } = await on(provider, wire, jsonAnswer(wire.refusal('prompt is too long: 200001 tokens > 200000 maximum'), 400))
    expect([response.error?.code, response.error?.retryable, response.error?.provider]).toEqual([
      'context_length_exceeded',
      false,
      provider,
    ])
  })

  test.each([
    [401, 'auth_invalid', false],
    [402, 'quota_exceeded', false],
    [403, 'auth_invalid', false],
    [408, 'network_timeout', true],
    [429, 'rate_limited', true],
    [500, 'unknown', true],
    [502, 'network_error', true],
    [503, 'model_overloaded', true],
  ])('status %i is %s', async (status, code, retryable) => {
    const decoded = await on(provider, wire, jsonAnswer(wire.refusal('no', 'x'), status))
    expectSound(decoded)
    expect([decoded.response.error?.code, decoded.response.error?.retryable]).toEqual([code, retryable])
  })

  test('split at every byte: the same events', async () => {
    const body = bytes(
      wire.stream({ thinking: ['思考', '🌍'], text: ['Привет ', '世界'], calls: [{ name: 'read_file', args: '{"file_path":"数据.csv"}' }] })
        .body,
    )
    const whole = await on(provider, wire, { chunks: [body] })
    for (let at = 1; at < body.length; at += 1) {
      const split = await on(provider, wire, { chunks: [body.subarray(0, at), body.subarray(at)] })
      if (JSON.stringify(split) !== JSON.stringify(whole)) expect(split, `split at ${at}`).toEqual(whole)
    }
    const single = await on(provider, wire, { chunks: [...body].map((byte) => Uint8Array.of(byte)) })
    expect(single).toEqual(whole)
  })

  test('cut at every byte of a long stream: nothing shown complete, no half call, no broken character', { timeout: 600_000 }, async () => {
    const long = longStream(wire)
    const whole = await on(provider, wire, { chunks: [long.all] })
    expect([whole.response.finishReason, whole.response.toolCalls?.length]).toEqual(['tool_calls', 2])
    let cut: Answer = { chunks: [] }
    const adapter = await adapterOn(provider, byteTransport({ [wire.path]: () => cut }))
    const faults = await faultsOfCuts(long, whole.response.content, proof(1, 23), (part, end) => {
      cut = { chunks: [part], end }
      return run(adapter, request())
    })
    expect(faults).toEqual([])
  })

  test.each(['', '{}'])('a call without arguments, written %j', async (args) => {
    const decoded = await on(provider, wire, streamed(wire, { calls: [{ name: 'get_time', args }] }))
    expectSound(decoded)
    expect(summary(decoded.response)).toEqual(['tool_calls', '', [['get_time', {}]]])
  })

  test('parallel calls keep their order, names and arguments, with ids of ours', async () => {
    const { response } = await on(
      provider,
      wire,
      streamed(wire, { calls: [1, 2, 3].map((n) => ({ name: 'read_file', args: `{"file_path":"${n}"}` })) }),
    )
    const ids = response.toolCalls?.map((call) => call.id) ?? []
    expect([summary(response)[2], ids.every((id) => /^tc_[0-9a-z]{10,}$/.test(id)), new Set(ids).size]).toEqual([
      [1, 2, 3].map((n) => ['read_file', { file_path: String(n) }]),
      true,
      3,
    ])
  })

  test('a call cut by the length limit is not run', async () => {
    const decoded = await on(
      provider,
      wire,
      streamed(wire, { text: ['I read '], calls: [{ name: 'read_file', args: '{"file_path": "da' }], finish: 'length' }),
    )
    expectSound(decoded)
    expect([decoded.response.error?.code, decoded.response.content, decoded.response.toolCalls]).toEqual([
      'output_length_exceeded',
      'I read ',
      undefined,
    ])
  })

  test('text cut by the length limit is an end that says so', async () => {
    const decoded = await on(provider, wire, streamed(wire, { text: ['a long '], finish: 'length' }))
    expectSound(decoded)
    expect(summary(decoded.response)).toEqual(['length', 'a long ', undefined])
  })

  test('nothing but thoughts until the length limit', async () => {
    const { response } = await on(provider, wire, streamed(wire, { thinking: ['hm'], finish: 'length' }))
    expect([response.error?.code, response.thinking?.content]).toEqual(['output_length_exceeded', 'hm'])
  })

  test('an error inside a 200, after some text', async () => {
    const decoded = await on(provider, wire, streamed(wire, { text: ['par', 'tial'], errorInside: true }))
    expectSound(decoded)
    expect([
      decoded.response.finishReason,
      decoded.response.content,
      decoded.response.error?.code,
      decoded.response.error?.retryable,
    ]).toEqual(['error', 'partial', 'model_overloaded', true])
  })

  test('a web page instead of an answer', async () => {
    const decoded = await on(provider, wire, {
      headers: { 'content-type': 'text/html' },
      chunks: [bytes('<!DOCTYPE html><html><body>Sign in</body></html>')],
    })
    expectSound(decoded)
    expect([decoded.response.error?.code, /<|>/.test(decoded.response.error?.message ?? '')]).toEqual(['invalid_response', false])
  })

  test('JSON that is broken in the middle of a stream', async () => {
    const good = wire.stream({ text: ['a'] }).body
    const frame = wire.path === '/api/chat' ? '{"message":{"content":"x"\n' : 'data: {"choices":[{"delta":\n\n'
    const { response } = await on(provider, wire, { chunks: [bytes(frame + good)] })
    expect(response.error?.code).toBe('parse_error')
  })

  test('a character whose two halves come in two pieces is shown whole', async () => {
    // Written as escapes, as servers do that count UTF-16 units.
    const body = wire
      .stream({ text: ['x@@1', '@@2y'] })
      .body.replaceAll('@@1', '\\ud83c')
      .replaceAll('@@2', '\\udf0d')
    const decoded = await on(provider, wire, { chunks: [bytes(body)] })
    expectSound(decoded)
    expect([decoded.response.content, decoded.events.flatMap((event) => (event.type === 'text_delta' ? [event.delta] : []))]).toEqual([
      'x🌍y',
      ['x', '🌍y'],
    ])
  })

  test('a missing answer to an old call is made up, and one without a call left out', async () => {
    const transport = byteTransport({ [wire.path]: streamed(wire, { text: ['ok'] }) })
    const result = (toolCallId: string, text: string) => ({
      role: 'tool' as const,
      content: '',
      timestamp: 1,
      toolResult: { toolCallId, toolName: 'get_time', result: text, success: true, durationMs: 1, timestamp: 1 },
    })
    const call = (id: string) => ({ id, name: 'get_time', args: {}, iteration: 1, timestamp: 1 })
    await run(await adapterOn(provider, transport), {
      ...request(),
      messages: [
        { role: 'user', content: 'go', timestamp: 1 },
        { role: 'assistant', content: '', timestamp: 1, toolCalls: [call('tc_1'), call('tc_2')] },
        result('tc_2', 'SECOND'),
        result('tc_9', 'ORPHAN'),
        result('tc_2', 'AGAIN'),
        { role: 'user', content: 'next', timestamp: 1 },
      ],
    })
    const sent = JSON.stringify(transport.seen.findLast((seen) => seen.path.endsWith(wire.path))?.body)
    const count = (text: string): number => sent.split(text).length - 1
    expect([count('SECOND'), count('interrupted'), count('ORPHAN'), count('AGAIN')]).toEqual([1, 1, 0, 0])
    expect(sent.indexOf('interrupted')).toBeLessThan(sent.indexOf('SECOND'))
  })

  test.each(['sk-with space', 'sk-with\nline', 'sk-ключ'])('a key that cannot be one (%j) makes no request', async (apiKey) => {
    const transport = byteTransport({ [wire.path]: streamed(wire, { text: ['ok'] }) })
    const decoded = await run(await adapterOn(provider, transport, { apiKey }), request())
    expectSound(decoded)
    expect([
      transport.seen,
      decoded.response.error?.code,
      decoded.response.error?.providerCode,
      JSON.stringify(decoded).includes(apiKey),
    ]).toEqual([[], 'auth_invalid', 'KEY_MALFORMED', false])
  })

  test('a missing key is told before any request where one is needed', async () => {
    const transport = byteTransport({ [wire.path]: streamed(wire, { text: ['ok'] }) })
    const { info } = (await registry[provider]!()).provider
    const { response } = await run(await adapterOn(provider, transport, { apiKey: undefined }), request())
    if (info.keyRequired)
      expect([transport.seen, response.error?.providerCode, response.error?.message.includes(info.keyVariable ?? '?')]).toEqual([
        [],
        'NO_KEY',
        true,
      ])
    else expect(response.finishReason).toBe('stop')
  })

  test('the base URL may end in a slash, in /v1, or in both', async () => {
    const paths = new Set<string>()
    for (const suffix of ['', '/', '/v1', '/v1/']) {
      const transport = byteTransport({ [wire.path]: streamed(wire, { text: ['ok'] }) })
      await run(await adapterOn(provider, transport, { baseUrl: `http://127.0.0.1:9${suffix}` }), request())
      paths.add(transport.seen.at(-1)?.path.replace(/^\/v1/, '') ?? '')
    }
    expect([...paths]).toEqual([wire.path])
  })

  test('a base URL that is none makes no request', async () => {
    const transport = byteTransport({})
    const { response } = await run(await adapterOn(provider, transport, { baseUrl: 'not a url' }), request())
    expect([transport.seen, response.error?.providerCode]).toEqual([[], 'BASE_URL_INVALID'])
  })
})

describe('over a real socket', () => {
  let fake: FakeProvider
  const transport = createTransport()
  beforeAll(async () => void (fake = await startFakeProvider()))
  afterAll(async () => {
    transport.close()
    await fake.stop()
  })

  const realAdapter = async (provider: string, deadlines: object = {}): Promise<ProviderAdapter> =>
    (await registry[provider]!()).provider.create({
      apiKey: 'k',
      baseUrl: fake.baseUrl,
      table: createModelTable(),
      transport,
      deadlines,
      now: Date.now,
      newToolCallId: () => `tc_${Math.random().toString(36).slice(2).padEnd(12, '0')}`,
      random: () => 0,
      sleep: () => Promise.resolve(),
    })

  async function collect(
    adapter: ProviderAdapter,
    options: StreamOptions & { readonly text?: string; readonly onEvent?: (event: MetonaStreamEvent) => void },
  ): Promise<Decoded> {
    const events: MetonaStreamEvent[] = []
    const response = await adapter.sendStream(request(options.text), (event) => (events.push(event), options.onEvent?.(event)), {
      maxRetries: 0,
      ...options,
    })
    return { events, response }
  }
  const ofPath = async (path: string) => (await fake.requests()).filter((seen) => seen.path.endsWith(path))

  /** The first half of a good stream, then nothing while the socket stays open. */
  const half = (wire: Wire): string => {
    const { body } = wire.stream({ text: ['first '] })
    const frameEnd = wire.path === '/api/chat' ? '\n' : '\n\n'
    return body.slice(0, body.indexOf(frameEnd, body.indexOf('first ')) + frameEnd.length)
  }

  test.each(withWire)('%s: abort before the request sends nothing', async (provider, wire) => {
    await fake.reset()
    const decoded = await collect(await realAdapter(provider), { signal: AbortSignal.abort() })
    expectSound(decoded)
    expect([decoded.response.finishReason, decoded.response.error?.code, (await ofPath(wire.path)).length]).toEqual([
      'aborted',
      'user_aborted',
      0,
    ])
  })

  test.each(withWire)('%s: abort in mid-stream closes the socket at once and keeps the text', async (provider, wire) => {
    await fake.reset()
    await fake.script([
      {
        path: wire.path,
        answers: [{ kind: 'raw', headers: { 'content-type': 'text/plain' }, chunks: [{ text: half(wire) }], finish: 'hang' }],
      },
    ])
    const controller = new AbortController()
    let closedMs: number | undefined
    const decoded = await collect(await realAdapter(provider), {
      signal: controller.signal,
      onSocketClosed: (milliseconds) => (closedMs = milliseconds),
      onEvent: (event) => {
        if (event.type === 'text_delta') controller.abort()
      },
    })
    expectSound(decoded)
    expect([decoded.response.finishReason, decoded.response.content]).toEqual(['aborted', 'first '])
    expect(closedMs).toBeLessThan(2_000)
    await fake.waitFor('closed', 1)
    expect((await ofPath(wire.path))[0]?.closedByClientAt).toBeDefined()
  })

  test.each(withWire)('%s: abort after the end changes nothing', async (provider, wire) => {
    await fake.reset()
    await fake.script([
      {
        path: wire.path,
        answers: [{ kind: 'raw', headers: { 'content-type': 'text/plain' }, chunks: [{ text: wire.stream({ text: ['done'] }).body }] }],
      },
    ])
    const controller = new AbortController()
    const decoded = await collect(await realAdapter(provider), { signal: controller.signal })
    const events = decoded.events.length
    controller.abort()
    await new Promise((resolve) => setImmediate(resolve))
    expect([summary(decoded.response), decoded.events.length]).toEqual([['stop', 'done', undefined], events])
  })

  test.each(withWire)('%s: a stream that falls silent is given up after the idle deadline', async (provider, wire) => {
    await fake.reset()
    await fake.script([
      {
        path: wire.path,
        answers: [{ kind: 'raw', headers: { 'content-type': 'text/plain' }, chunks: [{ text: half(wire) }], finish: 'hang' }],
      },
    ])
    const decoded = await collect(await realAdapter(provider, { idleMs: 300 }), {})
    expectSound(decoded)
    expect([decoded.response.error?.code, decoded.response.error?.providerCode, decoded.response.content]).toEqual([
      'network_timeout',
      'DEADLINE_IDLE',
      'first ',
    ])
    await fake.waitFor('closed', 1)
  })

  test.each(withWire)('%s: a refusal before any output is repeated, one after it is not', async (provider, wire) => {
    await fake.reset()
    const good = { kind: 'raw' as const, headers: { 'content-type': 'text/plain' }, chunks: [{ text: wire.stream({ text: ['ok'] }).body }] }
    await fake.script([
      {
        path: wire.path,
        answers: [
          { kind: 'status', status: 503, body: wire.refusal('busy', 'x') },
          good,
          { kind: 'raw', headers: { 'content-type': 'text/plain' }, chunks: [{ text: half(wire) }], finish: 'reset' },
        ],
      },
    ])
    const adapter = await realAdapter(provider)
    const retries: number[] = []
    const first = await collect(adapter, { maxRetries: 2, onRetry: (retry) => retries.push(retry.attempt) })
    const second = await collect(adapter, { maxRetries: 2, onRetry: (retry) => retries.push(retry.attempt) })
    expect([
      first.response.content,
      second.response.error?.code,
      second.response.content,
      retries,
      (await ofPath(wire.path)).length,
    ]).toEqual(['ok', 'network_error', 'first ', [1], 3])
    expectSound(first)
    expectSound(second)
  })
})

describe.each(withoutWire)('%s, which asks nobody', (provider) => {
  const ask = async (options: StreamOptions = {}) => {
    const events: MetonaStreamEvent[] = []
    const adapter = await adapterOn(provider, byteTransport({}), { apiKey: undefined })
    const response = await adapter.sendStream(
      { ...request(), meta: { ...request().meta, model: adapter.supportedModels[0] ?? '' } },
      (event) => events.push(event),
      options,
    )
    return { events, response }
  }

  test('answers without key and network, in the order of the standard', async () => {
    const decoded = await ask()
    expectSound(decoded)
    expect(['stop', 'tool_calls']).toContain(decoded.response.finishReason)
  })

  test('stops when aborted', async () => {
    const decoded = await ask({ signal: AbortSignal.abort() })
    expectSound(decoded)
    expect(decoded.response.finishReason).toBe('aborted')
  })
})

test('control: a reader that takes the end of the bytes for the end of the answer is found out by the cuts', async () => {
  const wire = wires[0]
  if (wire === undefined) throw new Error('no wire')
  const naive = async (part: Uint8Array): Promise<Decoded> => {
    const text = new TextDecoder().decode(part)
    const content = [...text.matchAll(/"content":"((?:[^"\\]|\\.)*)/g)].map((match) => match[1]).join('')
    return {
      events: [],
      response: {
        meta: { requestId: '', provider: '', model: '', latencyMs: 0, timestamp: 0 },
        content,
        usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
        finishReason: 'stop',
      },
    }
  }
  const faults = await faultsOfCuts(longStream(wire), '', 97, naive)
  expect([
    faults.some((fault) => fault.endsWith('stop')),
    faults.some((fault) => fault.endsWith('text')),
    faults.some((fault) => fault.endsWith('broken character')),
  ]).toEqual([true, true, true])
})
