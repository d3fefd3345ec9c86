/**
 * Bugs reported in public, as cases for Ollama, Anthropic, OpenAI Responses and what crosses providers. The
 * numbers are those of the list of stream cases. All input here is made by hand after the reports; none of it
 * is a recording.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import type { MetonaStreamEvent } from '#contracts/metona/metona-response.ts'
import { proof } from '#tests/helpers/proof.ts'
import {
  adapterOn,
  byteTransport,
  bytes,
  decode,
  jsonAnswer,
  ndjson,
  requestFor,
  run,
  sse,
  type Answer,
  type Decoded,
} from './adapter-harness.ts'
import { assistant, readFile, toolCall, toolResult, user } from './history.ts'

const models: Record<string, string> = {
  ollama: 'llama3.2:latest',
  anthropic: 'claude-opus-5',
  openai: 'gpt-6-sol',
  deepseek: 'deepseek-flash',
  'openai-compatible': 'local',
}
const requestOf = (provider: string): ReturnType<typeof requestFor> => requestFor(models[provider] ?? '', { tools: [readFile] })
const answerOf = (provider: string, answer: Answer): Promise<Decoded> => decode(provider, answer, requestOf(provider))
const deltas = (events: readonly MetonaStreamEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'text_delta' ? [event.delta] : []))

/** The same things on each wire. */
const wires = {
  ollama: {
    text: (text: string): unknown[] => [{ message: { role: 'assistant', content: text }, done: false }],
    call: (args: unknown, id?: string): unknown[] => [
      {
        message: {
          role: 'assistant',
          content: '',
          tool_calls: [{ ...(id === undefined ? {} : { id }), function: { name: 'read_file', arguments: args } }],
        },
        done: false,
      },
    ],
    end: (reason: 'stop' | 'length' = 'stop'): unknown[] => [
      { message: { role: 'assistant', content: '' }, done: true, done_reason: reason, prompt_eval_count: 3, eval_count: 2 },
    ],
    body: ndjson,
  },
  anthropic: {
    text: (text: string, index = 0): unknown[] => [
      { type: 'content_block_start', index, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index, delta: { type: 'text_delta', text } },
      { type: 'content_block_stop', index },
    ],
    call: (args: string | undefined, id = 'toolu_1', index = 1): unknown[] => [
      { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name: 'read_file', input: {} } },
      ...(args === undefined ? [] : [{ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: args } }]),
      { type: 'content_block_stop', index },
    ],
    end: (reason = 'end_turn'): unknown[] => [
      { type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ],
    body: sse,
  },
  openai: {
    text: (text: string, output_index = 0): unknown[] => [
      { type: 'response.output_text.delta', output_index, item_id: 'msg_1', delta: text },
    ],
    call: (args: string | undefined, id = 'call_1', output_index = 1): unknown[] => [
      {
        type: 'response.output_item.added',
        output_index,
        item: { id: `fc_${id}`, type: 'function_call', call_id: id, name: 'read_file', arguments: '' },
      },
      ...(args === undefined ? [] : [{ type: 'response.function_call_arguments.delta', output_index, item_id: `fc_${id}`, delta: args }]),
    ],
    end: (reason?: string): unknown[] => [
      reason === undefined
        ? { type: 'response.completed', response: { status: 'completed' } }
        : { type: 'response.incomplete', response: { status: 'incomplete', incomplete_details: { reason } } },
    ],
    body: sse,
  },
}
const providers = ['ollama', 'anthropic', 'openai'] as const

describe('framing', () => {
  test('4: Ollama, a character cut over two reads', async () => {
    const head = bytes('{"message":{"role":"assistant","content":"использоват')
    const [first, second] = [new Uint8Array([...head, 0xd1]), new Uint8Array([0x8c, ...bytes('"},"done":false}\n')])]
    const { response } = await answerOf('ollama', { chunks: [first, second, ...wires.ollama.body(...wires.ollama.end()).chunks] })
    expect(response.content).toBe('использовать')
  })

  test('5: Ollama, a line cut inside a string', async () => {
    const { response, events } = await answerOf('ollama', {
      chunks: [bytes('{"message":{"content":"abc'), bytes('def"},"done":false}\n{"done":true,"done_reason":"stop"}\n')],
    })
    expect([deltas(events), response.finishReason]).toEqual([['abcdef'], 'stop'])
  })

  test('6: Ollama, two objects and a blank line in one read', async () => {
    const { events } = await answerOf('ollama', {
      chunks: [
        bytes('{"message":{"content":"a"},"done":false}\n\n{"message":{"content":"b"},"done":false}\n{"done":true,"done_reason":"stop"}\n'),
      ],
    })
    expect(deltas(events)).toEqual(['a', 'b'])
  })

  test('13: Responses, arguments of 4 MiB in one line arrive whole and in linear time', async () => {
    const measure = async (mebibytes: number): Promise<number> => {
      const args = JSON.stringify({ file_path: 'x'.repeat(mebibytes * 1024 * 1024) })
      const body = bytes(
        `data: ${JSON.stringify({ type: 'response.output_item.done', output_index: 0, item: { type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: args } })}\n\n${[...wires.openai.end()].map((payload) => `data: ${JSON.stringify(payload)}\n\n`).join('')}`,
      )
      const chunks = Array.from({ length: Math.ceil(body.length / 16_384) }, (_, at) => body.subarray(at * 16_384, (at + 1) * 16_384))
      const before = process.cpuUsage()
      const { response } = await answerOf('openai', { chunks })
      const spent = process.cpuUsage(before)
      expect(String(response.toolCalls?.[0]?.args['file_path']).length).toBe(mebibytes * 1024 * 1024)
      return spent.user + spent.system
    }
    await measure(1)
    const [small, large] = [Math.min(await measure(1), await measure(1)), Math.min(await measure(4), await measure(4))]
    // Four times the bytes; sixteen times the work would be quadratic.
    expect(large).toBeLessThan(Math.max(small, 20_000) * 10)
  })
})

describe('how a stream ends', () => {
  test.each(providers)('15: %s, a call cut in its arguments by a clean end', async (provider) => {
    // Ollama's calls come whole, so there the line is cut.
    const answer: Answer =
      provider === 'ollama'
        ? { chunks: [bytes('{"message":{"tool_calls":[{"function":{"name":"read_file","arguments":{"file_path":"a')] }
        : wires[provider].body(...wires[provider].call('{"path":"a'))
    const { response, events } = await answerOf(provider, answer)
    expect(response).toMatchObject({ finishReason: 'error', error: { code: 'network_error' } })
    expect([response.toolCalls, events.filter((event) => event.type === 'tool_call_complete')]).toEqual([undefined, []])
  })

  test.each(['anthropic', 'openai'] as const)('16: %s, a call without a byte of arguments, then the end', async (provider) => {
    const { response } = await answerOf(provider, wires[provider].body(...wires[provider].call(undefined).slice(0, 1)))
    expect(response).toMatchObject({ finishReason: 'error', error: { code: 'network_error' } })
    expect(response.toolCalls).toBeUndefined()
  })

  test('16: Ollama, a whole call, then the end without a last line', async () => {
    const { response } = await answerOf('ollama', ndjson(...wires.ollama.call({})))
    expect(response).toMatchObject({ finishReason: 'error', error: { code: 'network_error' } })
    expect(response.toolCalls).toBeUndefined()
  })

  test.each(providers)('17: %s, text, then the end: kept, never complete', async (provider) => {
    const { response, events } = await answerOf(provider, wires[provider].body(...wires[provider].text('half an ans')))
    expect(response).toMatchObject({ content: 'half an ans', finishReason: 'error', error: { code: 'network_error' } })
    expect(events.at(-1)).toEqual({ type: 'done', finishReason: 'error' })
  })

  test.each(providers)('17: %s, text, then a reset', async (provider) => {
    const { response } = await answerOf(provider, { ...wires[provider].body(...wires[provider].text('half')), end: 'reset' })
    expect(response).toMatchObject({ content: 'half', finishReason: 'error', error: { code: 'network_error' } })
  })

  test('20: Ollama says stop after calls', async () => {
    expect((await answerOf('ollama', ndjson(...wires.ollama.call({ file_path: 'a' }), ...wires.ollama.end()))).response).toMatchObject({
      finishReason: 'tool_calls',
      toolCalls: [{ args: { file_path: 'a' } }],
    })
  })

  test('20: Anthropic says end_turn after a call', async () => {
    expect(
      (await answerOf('anthropic', sse(...wires.anthropic.call('{"file_path":"a"}'), ...wires.anthropic.end()))).response,
    ).toMatchObject({ finishReason: 'tool_calls', toolCalls: [{ args: { file_path: 'a' } }] })
  })

  test('21: Ollama, length with a call that lacks a required argument', async () => {
    const { response } = await answerOf('ollama', ndjson(...wires.ollama.call({ other: 1 }), ...wires.ollama.end('length')))
    expect(response).toMatchObject({ finishReason: 'error', error: { code: 'output_length_exceeded' } })
    expect(response.toolCalls).toBeUndefined()
  })
})

describe('errors that look like success', () => {
  test('25: Anthropic, text, then an error after HTTP 200', async () => {
    const { response } = await answerOf(
      'anthropic',
      sse(...wires.anthropic.text('partial'), { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    )
    expect(response).toMatchObject({
      content: 'partial',
      finishReason: 'error',
      error: { code: 'model_overloaded', message: 'Overloaded' },
    })
  })

  test('26: Anthropic, the error comes first and is its own, not a cut', async () => {
    const { response } = await answerOf(
      'anthropic',
      sse({ type: 'error', error: { type: 'invalid_request_error', message: 'messages.0: bad' } }),
    )
    expect(response).toMatchObject({
      content: '',
      finishReason: 'error',
      error: { code: 'unknown', message: 'messages.0: bad', retryable: false },
    })
  })

  test('27: Ollama, an error line in the middle', async () => {
    const { response } = await answerOf(
      'ollama',
      ndjson(...wires.ollama.text('a'), { error: 'an error was encountered while running the model: out of memory' }),
    )
    expect(response).toMatchObject({
      content: 'a',
      finishReason: 'error',
      error: { message: 'an error was encountered while running the model: out of memory' },
    })
  })

  test.each(providers)('28: %s, a web page with 200 and with 502', async (provider) => {
    const page = {
      headers: { 'content-type': 'text/html' },
      chunks: [bytes('<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in</body></html>')],
    }
    const ok = (await answerOf(provider, page)).response.error
    expect(ok).toMatchObject({ code: 'invalid_response' })
    expect(ok?.message).toMatch(/HTML/)
    expect(ok?.message).not.toMatch(/</)
    const bad = (await answerOf(provider, { ...page, status: 502 })).response.error
    expect(bad).toMatchObject({ code: 'network_error', retryable: true })
    expect(bad?.message).not.toMatch(/<\w/)
  })
})

describe('tool calls', () => {
  test('30: no argument delta, or an empty one, is {}', async () => {
    for (const args of [undefined, '']) {
      expect(
        (await answerOf('anthropic', sse(...wires.anthropic.call(args), ...wires.anthropic.end('tool_use')))).response.toolCalls?.[0],
      ).toMatchObject({ args: {} })
      expect((await answerOf('openai', sse(...wires.openai.call(args), ...wires.openai.end()))).response.toolCalls?.[0]).toMatchObject({
        args: {},
      })
    }
    expect((await answerOf('ollama', ndjson(...wires.ollama.call({}), ...wires.ollama.end()))).response.toolCalls?.[0]).toMatchObject({
      args: {},
    })
  })

  test('31: arguments that are null', async () => {
    expect((await answerOf('ollama', ndjson(...wires.ollama.call(null), ...wires.ollama.end()))).response.toolCalls?.[0]).toMatchObject({
      args: {},
    })
    expect((await answerOf('openai', sse(...wires.openai.call('null'), ...wires.openai.end()))).response.toolCalls?.[0]).toMatchObject({
      args: {},
    })
  })

  test("32: arguments as an object or encoded twice come out the same, and go back in each wire's own form", async () => {
    const twice = JSON.stringify(JSON.stringify({ a: 1 }))
    for (const found of [
      (await answerOf('ollama', ndjson(...wires.ollama.call({ a: 1 }), ...wires.ollama.end()))).response,
      (await answerOf('ollama', ndjson(...wires.ollama.call(twice), ...wires.ollama.end()))).response,
      (await answerOf('openai', sse(...wires.openai.call(twice), ...wires.openai.end()))).response,
      (await answerOf('anthropic', sse(...wires.anthropic.call(twice), ...wires.anthropic.end('tool_use')))).response,
    ])
      expect(found.toolCalls?.[0]?.args).toEqual({ a: 1 })
    const history = [user('go'), assistant('', [toolCall('tc_1', 'read_file', { a: 1 })]), toolResult('tc_1', 'read_file', 'ok')]
    expect(JSON.stringify(await sent('ollama', history))).toContain('"arguments":{"a":1}')
    expect(JSON.stringify(await sent('anthropic', history))).toContain('"input":{"a":1}')
    expect(JSON.stringify(await sent('openai', history))).toContain('"arguments":"{\\"a\\":1}"')
    expect(JSON.stringify(await sent('openai-compatible', history))).toContain('"arguments":"{\\"a\\":1}"')
  })

  test.each(['anthropic', 'openai'] as const)(
    '34: %s, arguments that do not parse: marked, raw text kept, never {} in silence',
    async (provider) => {
      const raw = '{"path":"a.ts", "content": "…{" "}…"}'
      const { response } = await answerOf(
        provider,
        wires[provider].body(...wires[provider].call(raw), ...wires[provider].end(provider === 'anthropic' ? 'tool_use' : undefined)),
      )
      expect(response.finishReason).toBe('tool_calls')
      expect(response.toolCalls).toMatchObject([{ name: 'read_file', args: {}, invalidArguments: { raw } }])
    },
  )

  test.each(providers)('35: %s, one id twice: two calls, each with an id of its own, answered by position', async (provider) => {
    const [a, b] = ['{"file_path":"a"}', '{"file_path":"b"}']
    const payloads =
      provider === 'ollama'
        ? [...wires.ollama.call(a, 'same'), ...wires.ollama.call(b, 'same'), ...wires.ollama.end()]
        : [
            ...wires[provider].call(a, 'same', 1),
            ...wires[provider].call(b, 'same', 2),
            ...wires[provider].end(provider === 'anthropic' ? 'tool_use' : undefined),
          ]
    const { response } = await answerOf(provider, wires[provider].body(...payloads))
    const calls = response.toolCalls ?? []
    expect(calls.map((call) => call.args)).toEqual([{ file_path: 'a' }, { file_path: 'b' }])
    expect(new Set(calls.map((call) => call.id)).size).toBe(2)
    const body = await sent(provider, [
      user('go'),
      assistant('', calls),
      toolResult(calls[1]?.id ?? '', 'read_file', 'B'),
      toolResult(calls[0]?.id ?? '', 'read_file', 'A'),
    ])
    expect(pairs(provider, body)).toEqual([
      ['a', 'A'],
      ['b', 'B'],
    ])
  })
})

describe('content and reasoning', () => {
  test('41: think tags cut over lines, only for a model that is known to write them', async () => {
    const lines = ['<thi', 'nk>secret</thi', 'nk>answer'].flatMap((piece) => wires.ollama.text(piece))
    expect((await decode('ollama', ndjson(...lines, ...wires.ollama.end()), requestFor('qwen3:14b'))).response).toMatchObject({
      content: 'answer',
      thinking: { content: 'secret' },
    })
    const literal = await decode(
      'ollama',
      ndjson(...wires.ollama.text('Write `<think>` first'), ...wires.ollama.end()),
      requestFor('qwen3:14b'),
    )
    expect([literal.response.content, literal.response.thinking]).toEqual(['Write `<think>` first', undefined])
  })

  test('44: Anthropic, signatures go back to the same model only, each with its own block', async () => {
    const think = (index: number, text: string, ...signature: string[]): unknown[] => [
      { type: 'content_block_start', index, content_block: { type: 'thinking', thinking: '', signature: '' } },
      { type: 'content_block_delta', index, delta: { type: 'thinking_delta', thinking: text } },
      ...signature.map((piece) => ({ type: 'content_block_delta', index, delta: { type: 'signature_delta', signature: piece } })),
      { type: 'content_block_stop', index },
    ]
    const { response } = await answerOf(
      'anthropic',
      sse(
        ...think(0, 'one', 'AA', 'BB'),
        ...wires.anthropic.call('{"file_path":"a"}', 'toolu_1', 1),
        ...think(2, 'two', 'CC'),
        ...wires.anthropic.call('{"file_path":"b"}', 'toolu_2', 3),
        ...wires.anthropic.end('tool_use'),
      ),
    )
    const history = [
      user('go'),
      {
        ...assistant(response.content, response.toolCalls),
        ...(response.providerState === undefined ? {} : { providerState: response.providerState }),
      },
    ]
    const content = ((await sent('anthropic', history)) as { messages: { content: unknown }[] }).messages[1]?.content
    expect(content).toEqual([
      { type: 'thinking', thinking: 'one', signature: 'AABB' },
      { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { file_path: 'a' } },
      { type: 'thinking', thinking: 'two', signature: 'CC' },
      { type: 'tool_use', id: 'toolu_2', name: 'read_file', input: { file_path: 'b' } },
    ])
    for (const other of ['ollama', 'openai', 'deepseek', 'openai-compatible'])
      expect(JSON.stringify(await sent(other, history)), other).not.toContain('AABB')
    expect(JSON.stringify(await sent('anthropic', history, 'claude-sonnet-5'))).not.toContain('AABB')
  })

  test('45: an assistant message with calls and no text, as each provider wants it', async () => {
    const history = [user('go'), assistant('', [toolCall('tc_1', 'read_file', {})]), toolResult('tc_1', 'read_file', 'ok')]
    const message = async (provider: string): Promise<Record<string, unknown> | undefined> =>
      ((await sent(provider, history)) as { messages: Record<string, unknown>[] }).messages.find((entry) => entry['role'] === 'assistant')
    expect((await message('ollama'))?.['content']).toBe('')
    expect((await message('deepseek'))?.['content']).toBe('')
    expect((await message('anthropic'))?.['content']).toMatchObject([{ type: 'tool_use' }])
    expect(((await sent('openai', history)) as { input: { type: string }[] }).input.map((item) => item.type)).toEqual([
      'message',
      'function_call',
      'function_call_output',
    ])
  })
})

describe('cut at every byte', () => {
  const folder = new URL('../../fixtures/providers/', import.meta.url)
  const files: [string, string, string][] = [
    ['ollama', 'ollama/thinking-stream.jsonl', 'gpt-oss'],
    ['ollama', 'ollama/two-tool-calls-on-two-lines.jsonl', 'qwen3:14b'],
    ['anthropic', 'anthropic/thinking-signature-tool-use-stream.sse', 'claude-sonnet-4-20250514'],
    ['anthropic', 'anthropic/text-stream.sse', 'claude-sonnet-4-20250514'],
    ['openai', 'openai/responses-reasoning-tool-call-stream.sse', 'o3-mini'],
  ]
  test.each(files)('%s: %s is never shown complete before it was, no half call, no U+FFFD', async (provider, file, model) => {
    const body = new Uint8Array(readFileSync(new URL(file, folder)))
    const request = requestFor(model)
    const whole = (await decode(provider, { chunks: [body] }, request)).response
    let complete = 0
    for (let length = 0; length < body.length; length += proof(1, 7)) {
      for (const end of ['close', 'reset'] as const) {
        const { response, events } = await decode(provider, { chunks: [body.subarray(0, length)], end }, request)
        const shown = JSON.stringify([response, events])
        expect(shown.includes('\uFFFD'), `byte ${length}`).toBe(false)
        if (response.finishReason === 'error') {
          expect(response.toolCalls, `byte ${length}`).toBeUndefined()
          expect(
            whole.content.startsWith(response.content) && (whole.thinking?.content ?? '').startsWith(response.thinking?.content ?? ''),
            `byte ${length}`,
          ).toBe(true)
          expect(['network_error', 'parse_error', 'invalid_response']).toContain(response.error?.code)
        } else {
          complete += 1
          expect([response.content, response.toolCalls, response.finishReason], `byte ${length}`).toEqual([
            whole.content,
            whole.toolCalls,
            whole.finishReason,
          ])
        }
      }
    }
    // Only within the last event, which says the end, may a cut answer be whole.
    expect(complete / 2).toBeLessThan(body.length / 4)
  })
})

/** The body a provider is sent for a history. */
async function sent(provider: string, messages: MetonaMessage[], model = models[provider] ?? ''): Promise<unknown> {
  const transport = byteTransport({
    '/api/chat': ndjson(...wires.ollama.end()),
    '/api/show': jsonAnswer({}),
    '/messages': sse(...wires.anthropic.end()),
    '/responses': sse(...wires.openai.end()),
    '/chat/completions': sse({ choices: [{ delta: { content: 'ok' }, finish_reason: 'stop' }] }, '[DONE]'),
  })
  await run(await adapterOn(provider, transport), requestFor(model, { messages, tools: [readFile] }))
  const body = transport.seen.at(-1)?.body
  return JSON.parse(JSON.stringify(body, (key, value: unknown) => (key === 'cache_control' ? undefined : value)))
}

/** File of each call and the text of the result with its id, read from a body without help of the app. */
function pairs(provider: (typeof providers)[number], body: unknown): [unknown, unknown][] {
  const { messages, input } = body as {
    messages?: {
      content: unknown
      role: string
      tool_calls?: { id: string; function: { arguments: { file_path: string } } }[]
      tool_call_id?: string
    }[]
    input?: { type: string; call_id: string; arguments: string; output: string }[]
  }
  if (provider === 'openai') {
    const calls = (input ?? []).filter((item) => item.type === 'function_call')
    return calls.map((call) => [
      (JSON.parse(call.arguments) as { file_path: string }).file_path,
      onlyOne((input ?? []).filter((item) => item.type === 'function_call_output' && item.call_id === call.call_id)).output,
    ])
  }
  if (provider === 'ollama') {
    const calls = (messages ?? []).flatMap((message) => message.tool_calls ?? [])
    return calls.map((call) => [
      call.function.arguments.file_path,
      onlyOne((messages ?? []).filter((message) => message.tool_call_id === call.id)).content,
    ])
  }
  const blocks = (messages ?? []).flatMap((message) =>
    Array.isArray(message.content)
      ? (message.content as {
          type: string
          id?: string
          tool_use_id?: string
          input?: { file_path: string }
          content?: { text: string }[]
        }[])
      : [],
  )
  return blocks
    .filter((block) => block.type === 'tool_use')
    .map((block) => [block.input?.file_path, onlyOne(blocks.filter((other) => other.tool_use_id === block.id)).content?.[0]?.text])
}

function onlyOne<T>(found: readonly T[]): T {
  const [first] = found
  if (first === undefined || found.length > 1) throw new Error(`expected one, found ${found.length}`)
  return first
}
