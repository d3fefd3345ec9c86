/**
 * Cases reported in public against other clients, for the framing and the Chat Completions wire. The number is
 * the case's in the list they were collected in. All input here is made by hand from those reports.
 */
import { describe, expect, test } from 'vitest'
import type { MetonaRequest } from '#contracts/metona/metona-request.ts'
import type { MetonaStreamEvent } from '#contracts/metona/metona-response.ts'
import { retryDelay, readRetryAfter } from '#workers/llm/domain/retry-policy.ts'
import { adapterOn, byteTransport, bytes, decode, jsonAnswer, requestFor, run, sse, type Answer } from './adapter-harness.ts'

const head = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' }
const delta = (delta: unknown, finish: string | null = null): unknown => ({
  ...head,
  choices: [{ index: 0, delta, finish_reason: finish }],
})
const text = (content: string): unknown => delta({ content })
const call = (piece: unknown): unknown => delta({ tool_calls: [piece] })
const usageChunk = { ...head, choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } }

const answerOf = (...chunks: readonly (string | Uint8Array)[]): Answer => ({
  chunks: chunks.map((chunk) => (typeof chunk === 'string' ? bytes(chunk) : chunk)),
})
const line = (payload: unknown): string => `data: ${JSON.stringify(payload)}\n\n`
const STOP = line(delta({}, 'stop'))
const DONE = 'data: [DONE]\n\n'

const tool = {
  name: 'read_file',
  description: '',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}
const withTools = (): MetonaRequest =>
  requestFor('m', { tools: [tool, { name: 'get_time', description: '', parameters: { type: 'object' } }] })

const chat = (answer: Answer, request?: MetonaRequest) => decode('openai-compatible', answer, request ?? withTools())
const textOf = (events: readonly MetonaStreamEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'text_delta' ? [event.delta] : []))

describe('framing and bytes', () => {
  test('1: lines that end in CR LF', async () => {
    const { response } = await chat(
      answerOf(`data: ${JSON.stringify(text('hi'))}\r\n\r\n`, `data: ${JSON.stringify(delta({}, 'stop'))}\r\n\r\ndata: [DONE]\r\n\r\n`),
    )
    expect([response.content, response.finishReason]).toEqual(['hi', 'stop'])
  })

  test('1: mixed line ends, CR LF after the first line and LF after the second, make one event of two lines', async () => {
    const payload = JSON.stringify(text('hi'))
    const cut = payload.indexOf(',') + 1
    const { response } = await chat(answerOf(`data: ${payload.slice(0, cut)}\r\ndata: ${payload.slice(cut)}\n\n`, STOP))
    expect(response.content).toBe('hi')
  })

  test('3: bare CR, one byte a read, is delivered without waiting for the end', async () => {
    const shown: string[] = []
    let beforeEnd = -1
    const stream = bytes(`data: ${JSON.stringify(text('hello'))}\r\r`)
    const transport = byteTransport({})
    const late: Answer = { chunks: [...stream].map((byte) => Uint8Array.of(byte)) }
    const adapter = await adapterOn('openai-compatible', {
      ...transport,
      exchange: async (options) => {
        options.onHead({ status: 200, headers: {} })
        for (const chunk of late.chunks) await options.onBytes(chunk)
        beforeEnd = shown.length
        await options.onBytes(bytes(STOP))
        return { kind: 'ended' }
      },
    })
    await adapter.sendStream(requestFor('m'), (event) => void (event.type === 'text_delta' && shown.push(event.delta)))
    expect([shown, beforeEnd]).toEqual([['hello'], 1])
  })

  test.each([
    ['использовать', [0xd1]],
    ['🌍', [0xf0, 0x9f]],
  ])('4: a character split between two reads (%s)', async (word, firstBytes) => {
    const whole = Buffer.from(`${line(text(word))}${STOP}`)
    const at = whole.lastIndexOf(Buffer.from(firstBytes)) + firstBytes.length
    const { response } = await chat(answerOf(whole.subarray(0, at), whole.subarray(at)))
    expect(response.content).toBe(word)
  })

  test.each([': OPENROUTER PROCESSING\n\n'.repeat(17), ': keep-alive\n\n'])('7: comments in front are no content', async (comments) => {
    const { response, events } = await chat(answerOf(comments, line(text('hi')), STOP))
    expect([response.content, textOf(events)]).toEqual(['hi', ['hi']])
  })

  test('8: a comment and a blank line dispatch no event', async () => {
    const { response } = await chat(answerOf(`: ping\n\n${line(text('a'))}: ping\n\n${line(text('b'))}${STOP}`))
    expect([response.content, response.error]).toEqual(['ab', undefined])
  })

  test('9: no space after the colon, and an empty data line as heartbeat', async () => {
    const { response } = await chat(
      answerOf(`data:${JSON.stringify(text('hi'))}\n\ndata:\n\ndata:${JSON.stringify(delta({}, 'stop'))}\n\ndata:[DONE]\n\n`),
    )
    expect([response.content, response.finishReason]).toEqual(['hi', 'stop'])
  })

  test('10: two data lines of one event are joined with LF', async () => {
    const { response } = await chat(answerOf('data: {"choices":[{"delta":\ndata: {"content":"hi"}}]}\n\n', STOP))
    expect(response.content).toBe('hi')
  })

  test.each([[[3]], [[1]], [[1, 2]]])('11: one leading BOM is removed, split at %j; a later one stays', async (cutsAt) => {
    const whole = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(line(text('a\uFEFFb')) + STOP)])
    const chunks = [0, ...cutsAt].map((from, index) => whole.subarray(from, cutsAt[index] ?? whole.length))
    const { response } = await chat({ chunks })
    expect(response.content).toBe('a\uFEFFb')
  })

  test('13: one event of 4 MiB is delivered whole', async () => {
    const big = 'x'.repeat(4 * 1024 * 1024)
    const { response } = await chat(
      answerOf(
        line(call({ index: 0, id: 'a', function: { name: 'get_time', arguments: JSON.stringify({ big }) } })),
        line(delta({}, 'tool_calls')),
      ),
    )
    expect(response.toolCalls?.[0]?.args).toEqual({ big })
  })
})

describe('how a stream ends', () => {
  test('14: a finish reason is enough, [DONE] is not needed', async () => {
    const { response } = await chat(answerOf(line(text('hi')), STOP, line(usageChunk)))
    expect([response.finishReason, response.content, response.usage.totalTokens]).toEqual(['stop', 'hi', 5])
  })

  test('15: half arguments and a clean end are a cut connection; nothing is called', async () => {
    const { response, events } = await chat(
      answerOf(line(call({ index: 0, id: 'a', function: { name: 'read_file', arguments: '{"path":"a' } }))),
    )
    expect([
      response.finishReason,
      response.error?.code,
      response.toolCalls,
      events.some((event) => event.type === 'tool_call_complete'),
    ]).toEqual(['error', 'network_error', undefined, false])
  })

  test('16: a call without any argument byte is no call either when the finish is missing', async () => {
    const { response } = await chat(answerOf(line(call({ index: 0, id: 'a', function: { name: 'get_time' } }))))
    expect([response.finishReason, response.error?.code, response.toolCalls]).toEqual(['error', 'network_error', undefined])
  })

  test('17: text without a finish is kept and marked as cut', async () => {
    const { response } = await chat(answerOf(line(text('half an ans'))))
    expect([response.content, response.finishReason, response.error?.code]).toEqual(['half an ans', 'error', 'network_error'])
  })

  test('18: content and a usage report alone, without a finish: the text is taken and the person told', async () => {
    const { response } = await chat(answerOf(line(text('hi')), line(usageChunk)))
    expect([response.content, response.finishReason, response.notices?.map((notice) => notice.code)]).toEqual([
      'hi',
      'stop',
      ['end_unknown'],
    ])
  })

  test('18: the same with an open tool call is a cut connection', async () => {
    const { response } = await chat(
      answerOf(line(text('hi')), line(call({ index: 0, id: 'a', function: { name: 'get_time', arguments: '{}' } })), line(usageChunk)),
    )
    expect([response.content, response.error?.code, response.toolCalls]).toEqual(['hi', 'network_error', undefined])
  })

  test('18: a usage report in every chunk vouches for nothing', async () => {
    const { response } = await chat(answerOf(line({ ...(text('hi') as object), usage: usageChunk.usage })))
    expect(response.error?.code).toBe('network_error')
  })

  test('19: an empty finish reason is none; the real one comes later', async () => {
    const { response } = await chat(answerOf(line(delta({ content: 'a' }, '')), line(delta({ content: 'b' }, '')), STOP))
    expect([response.content, response.finishReason]).toEqual(['ab', 'stop'])
  })

  test('19: [DONE] without any reason is a stop', async () => {
    const { response } = await chat(answerOf(line(delta({ content: 'a' }, '')), DONE))
    expect([response.content, response.finishReason, response.error]).toEqual(['a', 'stop', undefined])
  })

  test('20: complete calls with finish stop are tool calls', async () => {
    const { response } = await chat(answerOf(line(call({ index: 0, id: 'a', function: { name: 'get_time', arguments: '{}' } })), STOP))
    expect([response.finishReason, response.toolCalls?.map((one) => one.name)]).toEqual(['tool_calls', ['get_time']])
  })

  test('21: a length finish with arguments that parse but lack a required one', async () => {
    const { response } = await chat(
      answerOf(line(call({ index: 0, id: 'a', function: { name: 'read_file', arguments: '{"limit":3}' } })), line(delta({}, 'length'))),
    )
    expect([response.error?.code, response.toolCalls]).toEqual(['output_length_exceeded', undefined])
  })
})

describe('errors that look like success', () => {
  test('23: an error object inside a 200 stream', async () => {
    const { response } = await chat(answerOf('data: {"error":{"message":"quota exceeded"}}\n\n', DONE))
    expect([response.finishReason, response.error?.code, response.error?.message]).toEqual(['error', 'quota_exceeded', 'quota exceeded'])
  })

  test('23: the same as one JSON document, on a stream request', async () => {
    const { response } = await chat(jsonAnswer({ error: { message: 'quota exceeded' } }))
    expect([response.finishReason, response.error?.code]).toEqual(['error', 'quota_exceeded'])
  })

  test('plain text instead of a stream is quoted in the error', async () => {
    const { response } = await chat(answerOf('error: upstream connect failure'))
    expect([response.error?.code, response.error?.message]).toEqual([
      'invalid_response',
      'expected an API answer but got: error: upstream connect failure',
    ])
  })

  const page = '<!DOCTYPE html><html><head><title>Log in</title><script>alert(1)</script></head><body><h1>Please log in</h1></body></html>'

  test('28: a web page with status 200 names itself, without tags, at most 200 characters', async () => {
    const { response } = await chat({ headers: { 'content-type': 'text/html' }, chunks: [bytes(page + 'z'.repeat(9_000))] })
    const shown = response.error?.message.split('(HTML): ')[1] ?? ''
    expect([response.error?.code, /[<>]|alert/.test(shown), shown.startsWith('Log in Please log in'), [...shown].length <= 200]).toEqual([
      'invalid_response',
      false,
      true,
      true,
    ])
  })

  test('28: a web page with status 502 goes by its status', async () => {
    const { response } = await chat({ status: 502, headers: { 'content-type': 'text/html' }, chunks: [bytes(page)] })
    expect([response.error?.code, response.error?.retryable, /[<>]/.test(response.error?.message ?? '')]).toEqual([
      'network_error',
      true,
      false,
    ])
  })

  const now = Date.UTC(2026, 9, 21, 7, 27, 0)
  test.each([
    ['Wed, 21 Oct 2026 07:28:00 GMT', 60_000],
    ['soon', undefined],
    ['1.5', 1_500],
    ['-1', undefined],
    ['999999', 86_400_000],
    ['', undefined],
    ['NaN', undefined],
    ['Wed, 21 Oct 2020 07:28:00 GMT', undefined],
  ])('29: Retry-After %j', (value, expected) => {
    expect(readRetryAfter({ 'retry-after': value }, now)).toBe(expected)
  })

  test('29: a wait beyond the cap is not waited behind the person’s back, and none is ever NaN', () => {
    const error = { code: 'rate_limited' as const, message: '', retryable: true }
    const waits = [86_400_000, 60_000, undefined].map((retryAfterMs) =>
      retryDelay({ error: retryAfterMs === undefined ? error : { ...error, retryAfterMs }, attempt: 1, visible: false, random: 0.5 }),
    )
    expect(waits).toEqual([undefined, 60_000, 500])
  })
})

describe('tool calls', () => {
  const args = async (...pieces: readonly unknown[]) =>
    (await chat(sse(...pieces, delta({}, 'tool_calls')))).response.toolCalls?.map(({ name, args, providerCallId, invalidArguments }) => ({
      name,
      args,
      providerCallId,
      invalid: invalidArguments?.raw,
    }))

  test.each([
    ['an empty string', { index: 0, id: 'a', function: { name: 'get_time', arguments: '' } }],
    ['no argument delta at all', { index: 0, id: 'a', function: { name: 'get_time' } }],
    ['null as text (31)', { index: 0, id: 'a', function: { name: 'get_time', arguments: 'null' } }],
    ['null', { index: 0, id: 'a', function: { name: 'get_time', arguments: null } }],
  ])('30: %s is no arguments', async (_what, piece) => {
    expect(await args(call(piece))).toEqual([{ name: 'get_time', args: {}, providerCallId: 'a', invalid: undefined }])
  })

  test.each([
    ['an object', { a: 1 }],
    ['JSON inside a JSON string', JSON.stringify('{"a":1}')],
  ])('32: arguments as %s', async (_what, value) => {
    expect(await args(call({ index: 0, id: 'a', function: { name: 'get_time', arguments: value } }))).toEqual([
      { name: 'get_time', args: { a: 1 }, providerCallId: 'a', invalid: undefined },
    ])
  })

  test('32: such arguments go back as a JSON string', async () => {
    const transport = byteTransport({ '/chat/completions': sse(text('ok'), delta({}, 'stop')) })
    await run(await adapterOn('openai-compatible', transport), withHistory())
    expect(bodyMessages(transport.seen[0]?.body)[2]).toMatchObject({
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } }],
    })
  })

  test.each(['{"path":"a.ts", "content": "x{" "}y"}', 'file_path=foo'])('34: %s is an invalid call with its raw text', async (raw) => {
    const { response } = await chat(
      sse(call({ index: 0, id: 'a', function: { name: 'read_file', arguments: raw } }), delta({}, 'tool_calls')),
    )
    const [made] = response.toolCalls ?? []
    expect([response.finishReason, made?.invalidArguments?.raw, made?.args]).toEqual(['tool_calls', raw, {}])
  })

  test('35: two calls with one id get ids of their own, and each its own answer', async () => {
    const { response } = await chat(
      sse(
        call({ index: 0, id: 'functions.eval:301', function: { name: 'get_time', arguments: '{"n":1}' } }),
        call({ index: 1, id: 'functions.eval:301', function: { name: 'get_time', arguments: '{"n":2}' } }),
        delta({}, 'tool_calls'),
      ),
    )
    const calls = response.toolCalls ?? []
    expect([calls.map((one) => one.args), new Set(calls.map((one) => one.id)).size]).toEqual([[{ n: 1 }, { n: 2 }], 2])
    const transport = byteTransport({ '/chat/completions': sse(text('ok'), delta({}, 'stop')) })
    const results = calls.map((one) => ({
      role: 'tool' as const,
      content: '',
      timestamp: 1,
      toolResult: {
        toolCallId: one.id,
        toolName: one.name,
        result: `answer ${String(one.args['n'])}`,
        success: true,
        durationMs: 1,
        timestamp: 1,
      },
    }))
    await run(
      await adapterOn('openai-compatible', transport),
      requestFor('m', {
        tools: [tool],
        messages: [
          { role: 'user', content: 'go', timestamp: 1 },
          { role: 'assistant', content: '', timestamp: 1, toolCalls: calls },
          ...results,
        ],
      }),
    )
    const [, , assistant, ...answers] = bodyMessages(transport.seen[0]?.body)
    const ids = ((assistant?.['tool_calls'] ?? []) as { id: string }[]).map((one) => one.id)
    expect([new Set(ids).size, answers.map((answer) => [answer['tool_call_id'], answer['content']])]).toEqual([
      2,
      [
        [ids[0], 'answer 1'],
        [ids[1], 'answer 2'],
      ],
    ])
  })

  test('36: parallel deltas without an index', async () => {
    expect(
      await args(
        call({ id: 'a', function: { name: 'get_weather', arguments: '{"city":' } }),
        call({ function: { arguments: '"Paris"}' } }),
        call({ id: 'b', function: { name: 'get_time', arguments: '{"tz":"JST"}' } }),
      ),
    ).toEqual([
      { name: 'get_weather', args: { city: 'Paris' }, providerCallId: 'a', invalid: undefined },
      { name: 'get_time', args: { tz: 'JST' }, providerCallId: 'b', invalid: undefined },
    ])
  })

  test('36: the same without any ids: a name after complete arguments is a new call', async () => {
    expect(
      (
        await args(
          call({ function: { name: 'get_weather', arguments: '{"city":"Paris"}' } }),
          call({ function: { name: 'get_time', arguments: '{}' } }),
        )
      )?.map((one) => one.name),
    ).toEqual(['get_weather', 'get_time'])
  })

  test('one index for every call of a gateway: another id after complete arguments is a new call', async () => {
    expect(
      (
        await args(
          call({ index: 0, id: 'a', function: { name: 'get_time', arguments: '{"n":1}' } }),
          call({ index: 0, id: 'b', function: { name: 'get_time', arguments: '{"n":2}' } }),
        )
      )?.map((one) => one.args),
    ).toEqual([{ n: 1 }, { n: 2 }])
  })

  test('38: the only call has index 1', async () => {
    expect(
      await args(
        call({ index: 1, id: 'a', function: { name: 'get_time', arguments: '' } }),
        call({ index: 1, function: { arguments: '{}' } }),
      ),
    ).toEqual([{ name: 'get_time', args: {}, providerCallId: 'a', invalid: undefined }])
  })

  test('38: arguments that stray to an index nobody opened belong to the open call', async () => {
    expect(
      await args(
        call({ index: 0, id: 'a', function: { name: 'get_time', arguments: '' } }),
        call({ index: 1, function: { arguments: '{"a":1}' } }),
      ),
    ).toEqual([{ name: 'get_time', args: { a: 1 }, providerCallId: 'a', invalid: undefined }])
  })

  test('38: two entries for one index in one chunk are one call', async () => {
    const both = delta({
      tool_calls: [
        { index: 0, id: 'a', function: { name: 'get_time', arguments: '{"a"' } },
        { index: 0, function: { arguments: ':1}' } },
      ],
    })
    expect(await args(both)).toEqual([{ name: 'get_time', args: { a: 1 }, providerCallId: 'a', invalid: undefined }])
  })

  test.each([
    ['empty', ''],
    ['null', null],
    ['the word null', 'null'],
  ])('39: a later id or name that is %s changes nothing', async (_what, nothing) => {
    expect(
      await args(
        call({ index: 0, id: 'real', function: { name: 'get_time', arguments: '' } }),
        call({ index: 0, id: nothing, function: { name: nothing, arguments: '{"a":1}' } }),
      ),
    ).toEqual([{ name: 'get_time', args: { a: 1 }, providerCallId: 'real', invalid: undefined }])
  })
})

describe('content, usage and reasoning', () => {
  test.each([
    ['an empty list', { ...head, choices: [] }],
    ['null', { ...head, choices: null }],
    ['nothing', head],
  ])('40: choices are %s, in front and with usage', async (_what, chunk) => {
    const { response } = await chat(sse(chunk, text('hi'), delta({}, 'stop'), { ...chunk, usage: usageChunk.usage }, '[DONE]'))
    expect([response.content, response.usage.totalTokens, response.error]).toEqual(['hi', 5, undefined])
  })

  test('41: think tags, split over reads, only for a model declared to write them', async () => {
    const stream = sse(text('<thi'), text('nk>secret</thi'), text('nk>answer'), delta({}, 'stop'))
    const declared = await chat(stream, requestFor('deepseek-r1'))
    const other = await chat(stream, requestFor('m'))
    expect([declared.response.thinking?.content, declared.response.content, other.response.content]).toEqual([
      'secret',
      'answer',
      '<think>secret</think>answer',
    ])
  })

  test('41: a literal tag after visible text stays text, and a held-back end is shown', async () => {
    const { response } = await chat(sse(text('use `<think>` and `</thi'), delta({}, 'stop')), requestFor('deepseek-r1'))
    expect([response.content, response.thinking]).toEqual(['use `<think>` and `</thi', undefined])
  })

  test('43: DeepSeek gets every earlier thought back when the request has tools', async () => {
    const transport = byteTransport({ '/chat/completions': sse(text('ok'), delta({}, 'stop')) })
    const thinking = { content: 'I look first', status: 'complete' as const, durationMs: 1, tokensUsed: 1 }
    const history = withHistory()
    const messages = history.messages.map((message) => (message.role === 'assistant' ? { ...message, thinking } : message))
    await run(await adapterOn('deepseek', transport), {
      ...history,
      messages: [...messages, { role: 'assistant', content: 'plain', timestamp: 1 }, { role: 'user', content: 'more', timestamp: 1 }],
    })
    await run(await adapterOn('deepseek', transport), { ...history, messages, tools: [] })
    const reasoning = transport.seen.map(({ body }) =>
      bodyMessages(body).flatMap((message) => (message['role'] === 'assistant' ? [message['reasoning_content']] : [])),
    )
    expect(reasoning).toEqual([['I look first', ''], [undefined]])
  })

  test.each([
    ['deepseek', ''],
    ['agnes', ''],
    ['openai-compatible', ''],
  ])('45: content of an assistant message with calls and no text, at %s', async (provider, expected) => {
    const transport = byteTransport({ '/chat/completions': sse(text('ok'), delta({}, 'stop')) })
    await run(await adapterOn(provider, transport), withHistory())
    expect(bodyMessages(transport.seen[0]?.body)[2]?.['content']).toBe(expected)
  })

  test('45: a compatible server that refuses empty content is asked again with null, and remembered', async () => {
    const contents: unknown[] = []
    const transport = byteTransport({
      '/chat/completions': ({ body }) => {
        const content = bodyMessages(body)[2]?.['content']
        contents.push(content)
        return content === ''
          ? jsonAnswer({ error: { message: 'messages[2].content must not be empty', type: 'invalid_request_error' } }, 400)
          : sse(text('ok'), delta({}, 'stop'))
      },
    })
    const adapter = await adapterOn('openai-compatible', transport)
    const first = await run(adapter, withHistory())
    await run(adapter, withHistory())
    expect([first.response.content, contents]).toEqual(['ok', ['', null, null]])
  })
})

function withHistory(): MetonaRequest {
  return requestFor('m', {
    tools: [tool],
    messages: [
      { role: 'user', content: 'go', timestamp: 1 },
      {
        role: 'assistant',
        content: '',
        timestamp: 1,
        toolCalls: [{ id: 'tc_1', name: 'read_file', args: { path: 'a' }, iteration: 1, timestamp: 1, providerCallId: 'call_1' }],
      },
      {
        role: 'tool',
        content: '',
        timestamp: 1,
        toolResult: { toolCallId: 'tc_1', toolName: 'read_file', result: 'content', success: true, durationMs: 1, timestamp: 1 },
      },
    ],
  })
}

function bodyMessages(body: Record<string, unknown> | undefined): Record<string, unknown>[] {
  return (body?.['messages'] ?? []) as Record<string, unknown>[]
}
