import { describe, expect, test } from 'vitest'
import type { MetonaMessage, MetonaRequest } from '#contracts/metona/metona-request.ts'
import { claudeTraits } from '#workers/llm/adapters/anthropic-models.ts'
import { adapterOn, byteTransport, decode, jsonAnswer, requestFor, run, sse } from './adapter-harness.ts'
import { assistant, pixel, readFile, toolCall, toolResult, user } from './history.ts'

const MODEL = 'claude-opus-5'
type Body = Record<string, unknown> & { messages: { role: string; content: Record<string, unknown>[] }[] }

async function bodyOf(request: MetonaRequest): Promise<Body> {
  const transport = byteTransport({
    '/messages': sse({ type: 'message_delta', delta: { stop_reason: 'end_turn' } }, { type: 'message_stop' }),
  })
  await run(await adapterOn('anthropic', transport), request)
  return transport.seen[0]?.body as Body
}

const messagesOf = async (messages: MetonaMessage[], model = MODEL): Promise<Body['messages']> =>
  withoutCache((await bodyOf(requestFor(model, { messages }))).messages)

function withoutCache<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === 'cache_control' ? undefined : inner))) as T
}

describe('request', () => {
  test('address, headers and the whole body of a first request with tools', async () => {
    const transport = byteTransport({ '/messages': sse({ type: 'message_stop' }) })
    await run(await adapterOn('anthropic', transport), requestFor(MODEL, { tools: [readFile], params: { maxTokens: 1000 } }))
    expect(transport.seen[0]).toMatchObject({
      path: '/v1/messages',
      method: 'POST',
      headers: { 'x-api-key': 'test-key', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    })
    expect(transport.seen[0]?.headers).not.toHaveProperty('authorization')
    expect(transport.seen[0]?.body).toEqual({
      model: MODEL,
      max_tokens: 1000,
      system: [{ type: 'text', text: 'You are a test.', cache_control: { type: 'ephemeral' } }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'go', cache_control: { type: 'ephemeral' } }] }],
      tools: [{ name: 'read_file', description: 'Reads a file', input_schema: readFile.parameters, cache_control: { type: 'ephemeral' } }],
      thinking: { type: 'adaptive', display: 'summarized' },
      stream: true,
    })
  })

  test('max_tokens is always sent and never above what the model gives', async () => {
    expect((await bodyOf(requestFor(MODEL)))['max_tokens']).toBe(64_000)
    expect((await bodyOf(requestFor('claude-haiku-4-5', { params: { maxTokens: 500_000 } })))['max_tokens']).toBe(64_000)
  })

  test('four cache breakpoints at most: tools, system and the last two user messages', async () => {
    const body = await bodyOf(
      requestFor(MODEL, {
        tools: [readFile, { ...readFile, name: 'other' }],
        messages: [user('1'), assistant('a'), user('2'), assistant('b'), user('3')],
      }),
    )
    const marked = (JSON.stringify(body).match(/cache_control/g) ?? []).length
    expect(marked).toBe(4)
    expect(body.messages.map((message) => message.content.some((block) => block['cache_control'] !== undefined))).toEqual([
      false,
      false,
      true,
      false,
      true,
    ])
  })

  test.each<[string, ReturnType<typeof claudeTraits>]>([
    ['claude-fable-5-1', { thinking: 'always', sampling: false, effort: true }],
    ['claude-opus-5-5', { thinking: 'always', sampling: false, effort: true }],
    ['claude-sonnet-5-5', { thinking: 'adaptive', sampling: false, effort: true }],
    ['claude-haiku-5-5', { thinking: 'adaptive', sampling: false, effort: true }],
    ['claude-opus-5', { thinking: 'adaptive', sampling: false, effort: true }],
    ['claude-sonnet-5', { thinking: 'adaptive', sampling: false, effort: true }],
    ['claude-opus-4-7', { thinking: 'adaptive', sampling: false, effort: true }],
    ['claude-opus-4-6', { thinking: 'adaptive', sampling: true, effort: true }],
    ['claude-opus-4-5-20251101', { thinking: 'budget', sampling: true, effort: true }],
    ['claude-haiku-4-5-20251001', { thinking: 'budget', sampling: true, effort: false }],
    ['claude-sonnet-4-20250514', { thinking: 'budget', sampling: true, effort: false }],
    ['claude-3-7-sonnet-20250219', { thinking: 'budget', sampling: true, effort: false }],
    ['claude-3-5-haiku-20241022', { thinking: 'none', sampling: true, effort: false }],
  ])('%s takes %o', (model, traits) => {
    expect(claudeTraits(model)).toEqual(traits)
  })

  test.each<[string, string, Partial<MetonaRequest['params']>, Record<string, unknown>]>([
    ['a model that always thinks is never told not to', 'claude-opus-5-5', { thinkingEnabled: false }, { thinking: undefined }],
    [
      'a model that always thinks shows its thoughts when asked',
      'claude-opus-5-5',
      { thinkingEnabled: true, thinkingEffort: 'high' },
      { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'high' } },
    ],
    ['a forced tool is refused by it, so it is only offered', 'claude-opus-5-5', { toolChoice: 'required' }, { tool_choice: undefined }],
    ['an adaptive model can be switched off', MODEL, { thinkingEnabled: false }, { thinking: { type: 'disabled' } }],
    [
      'a forced tool excludes thinking',
      MODEL,
      { toolChoice: 'required' },
      { tool_choice: { type: 'any' }, thinking: { type: 'disabled' } },
    ],
    [
      'an older model gets a budget below its limit',
      'claude-haiku-4-5',
      { maxTokens: 8_000, thinkingEffort: 'high' },
      { thinking: { type: 'enabled', budget_tokens: 4_000 }, output_config: undefined },
    ],
    ['too small a limit leaves no room to think', 'claude-haiku-4-5', { maxTokens: 2_000 }, { thinking: { type: 'disabled' } }],
    ['a model without thinking is told nothing', 'claude-3-5-haiku-20241022', {}, { thinking: undefined }],
    [
      'sampling is left out where it is refused',
      MODEL,
      { temperature: 0.2, topP: 0.5, thinkingEnabled: false },
      { temperature: undefined, top_p: undefined },
    ],
    [
      'sampling is sent where it is taken',
      'claude-haiku-4-5',
      { temperature: 1.5, topP: 0.5, thinkingEnabled: false },
      { temperature: 1, top_p: 0.5 },
    ],
    ['sampling is left out while thinking', 'claude-haiku-4-5', { temperature: 0.2 }, { temperature: undefined }],
    ['no tool', MODEL, { toolChoice: 'none' }, { tool_choice: { type: 'none' } }],
    ['stop strings', MODEL, { stop: ['END', '\n'] }, { stop_sequences: ['END'] }],
    [
      'a schema',
      MODEL,
      { responseFormat: { type: 'json_schema', name: 'x', schema: { type: 'object' } } },
      { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
    ],
  ])('%s', async (_name, model, params, expected) => {
    const body = await bodyOf(requestFor(model, { tools: [readFile], params }))
    expect(Object.fromEntries(Object.keys(expected).map((key) => [key, body[key]]))).toEqual(expected)
  })

  test('JSON without a schema is asked for in words', async () => {
    expect((await bodyOf(requestFor(MODEL, { params: { responseFormat: { type: 'json_object' } } })))['system']).toEqual([
      { type: 'text', text: 'You are a test.\n\nAnswer with one JSON object and nothing else.', cache_control: { type: 'ephemeral' } },
    ])
  })
})

describe('history', () => {
  test('results stand first in the next user message, failures are marked, pictures go along', async () => {
    const calls = [
      toolCall('tc_1', 'read_file', { file_path: 'a' }, { providerCallId: 'toolu_1' }),
      toolCall('tc_2', 'read_file', { file_path: 'b' }),
    ]
    expect(
      await messagesOf([
        user('look', { images: [pixel] }),
        assistant('', calls),
        toolResult('tc_2', 'read_file', null, { success: false, error: 'no such file' }),
        toolResult('tc_1', 'read_file', 'A', {}, { images: [pixel] }),
        user('and?'),
      ]),
    ).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
          { type: 'text', text: 'look' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { file_path: 'a' } },
          { type: 'tool_use', id: 'tc_2', name: 'read_file', input: { file_path: 'b' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [
              { type: 'text', text: 'A' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
            ],
          },
          { type: 'tool_result', tool_use_id: 'tc_2', content: [{ type: 'text', text: 'Error: no such file' }], is_error: true },
          { type: 'text', text: 'and?' },
        ],
      },
    ])
  })

  test("roles alternate, the first and the last message are the user's, nothing is empty", async () => {
    expect(await messagesOf([assistant('left over'), user(' '), assistant(''), user('a'), user('b'), assistant('cut')])).toEqual([
      { role: 'user', content: [{ type: 'text', text: '(earlier conversation left out)' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'left over' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'cut' }] },
      { role: 'user', content: [{ type: 'text', text: 'Continue.' }] },
    ])
  })

  test('an empty result has no content at all', async () => {
    const messages = await messagesOf([user('go'), assistant('', [toolCall('tc_1', 'read_file', {})]), toolResult('tc_1', 'read_file', '')])
    expect(messages[2]?.content).toEqual([{ type: 'tool_result', tool_use_id: 'tc_1' }])
  })

  test('system notes before the conversation join the system prompt, later ones stay in their place', async () => {
    const body = await bodyOf(
      requestFor(MODEL, {
        messages: [
          { role: 'system', content: 'early', timestamp: 1 },
          user('a'),
          assistant('b'),
          { role: 'system', content: 'late', timestamp: 1 },
          user('c'),
        ],
      }),
    )
    expect(withoutCache(body['system'])).toEqual([{ type: 'text', text: 'You are a test.\n\nearly' }])
    expect(withoutCache(body.messages).at(-1)).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: '[Note from the application]\nlate' },
        { type: 'text', text: 'c' },
      ],
    })
  })

  const blocks = [
    { type: 'thinking', thinking: 'first', signature: 'sig1' },
    { type: 'metona_text', length: 3 },
    { type: 'redacted_thinking', data: 'opaque' },
    { type: 'metona_tool_use', id: 'toolu_1' },
  ]
  const thought = (more: Partial<MetonaMessage> = {}): MetonaMessage =>
    assistant('one', [toolCall('tc_1', 'read_file', {}, { providerCallId: 'toolu_1' })], {
      providerState: { provider: 'anthropic', model: MODEL, blocks },
      ...more,
    })
  const assistantContent = async (message: MetonaMessage, model = MODEL): Promise<unknown> =>
    (await messagesOf([user('go'), message], model))[1]?.content

  test('thinking goes back unchanged and in place to the model that thought', async () => {
    expect(await assistantContent(thought())).toEqual([
      { type: 'thinking', thinking: 'first', signature: 'sig1' },
      { type: 'text', text: 'one' },
      { type: 'redacted_thinking', data: 'opaque' },
      { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: {} },
    ])
  })

  test('thinking is left out for any other model or provider', async () => {
    const plain = [
      { type: 'text', text: 'one' },
      { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: {} },
    ]
    expect(await assistantContent(thought(), 'claude-opus-5-5')).toEqual(plain)
    expect(await assistantContent(thought({ providerState: { provider: 'openai', model: MODEL, blocks } }))).toEqual(plain)
  })

  test('a text that was changed since stands whole behind the first thoughts', async () => {
    expect(await assistantContent(thought({ content: 'edited text' }))).toEqual([
      { type: 'thinking', thinking: 'first', signature: 'sig1' },
      { type: 'text', text: 'edited text' },
      { type: 'redacted_thinking', data: 'opaque' },
      { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: {} },
    ])
  })

  test('a thought whose call was dropped does not end the turn, and a thought alone is no turn', async () => {
    expect(await assistantContent(assistant('one', [], { providerState: { provider: 'anthropic', model: MODEL, blocks } }))).toEqual([
      { type: 'thinking', thinking: 'first', signature: 'sig1' },
      { type: 'text', text: 'one' },
    ])
    expect(
      await messagesOf([
        user('a'),
        assistant('', [], { providerState: { provider: 'anthropic', model: MODEL, blocks: blocks.slice(0, 1) } }),
        user('b'),
      ]),
    ).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ])
  })

  test('an unsigned thought is never sent', async () => {
    const unsigned = thought({
      providerState: { provider: 'anthropic', model: MODEL, blocks: [{ type: 'thinking', thinking: 'first', signature: '' }] },
    })
    expect(await assistantContent(unsigned)).toEqual([
      { type: 'text', text: 'one' },
      { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: {} },
    ])
  })
})

describe('what a refusal teaches', () => {
  const signed = (): MetonaMessage =>
    assistant('', [toolCall('tc_1', 'read_file', {}, { providerCallId: 'toolu_1' })], {
      providerState: {
        provider: 'anthropic',
        model: MODEL,
        blocks: [
          { type: 'thinking', thinking: 'hm', signature: 'sig' },
          { type: 'metona_tool_use', id: 'toolu_1' },
        ],
      },
    })
  const end = sse(
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ok' } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    { type: 'message_stop' },
  )
  const refuse = (message: string): ReturnType<typeof jsonAnswer> =>
    jsonAnswer({ type: 'error', error: { type: 'invalid_request_error', message } }, 400)

  test('thoughts that are not recognised are left out for that session, and only for that one', async () => {
    const transport = byteTransport({
      '/messages': (seen) =>
        JSON.stringify(seen.body).includes('"signature"') && JSON.stringify(seen.body).includes('edited')
          ? refuse('messages.1.content.0: Invalid `signature` in `thinking` block')
          : end,
    })
    const adapter = await adapterOn('anthropic', transport)
    const ask = (sessionId: string, text: string) =>
      run(adapter, {
        ...requestFor(MODEL, { messages: [user(text), signed(), toolResult('tc_1', 'read_file', 'A')] }),
        meta: { ...requestFor(MODEL).meta, sessionId },
      })
    expect((await ask('s_1', 'edited')).response).toMatchObject({ content: 'ok', finishReason: 'stop' })
    await ask('s_1', 'edited')
    await ask('s_2', 'untouched')
    expect(transport.seen.map((seen) => JSON.stringify(seen.body).includes('"signature"'))).toEqual([true, false, false, true])
  })

  test('an answer limit that does not fit the window is lowered once', async () => {
    const transport = byteTransport({
      '/messages': (seen) =>
        Number(seen.body['max_tokens']) > 11_760
          ? refuse(
              'input length and `max_tokens` exceed context limit: 188240 + 64000 > 200000, decrease input length or `max_tokens` and try again',
            )
          : end,
    })
    const { response } = await run(
      await adapterOn('anthropic', transport),
      requestFor('claude-3-7-sonnet-20250219', { params: { maxTokens: 32_000 } }),
    )
    expect(response).toMatchObject({ content: 'ok', finishReason: 'stop' })
    expect(transport.seen.map((seen) => seen.body['max_tokens'])).toEqual([32_000, 11_760])
  })

  test('where no room is left it is an overflow', async () => {
    const transport = byteTransport({ '/messages': refuse('input length and `max_tokens` exceed context limit: 199900 + 64000 > 200000') })
    expect((await run(await adapterOn('anthropic', transport), requestFor('claude-3-7-sonnet-20250219'))).response.error).toMatchObject({
      code: 'context_length_exceeded',
    })
    expect(transport.seen).toHaveLength(1)
  })
})

test('an older model does not begin to think within a tool loop that began without a thought', async () => {
  const loop = (more: Partial<MetonaMessage>): MetonaMessage[] => [
    user('go'),
    assistant('', [toolCall('tc_1', 'read_file', {}, { providerCallId: 'toolu_1' })], more),
    toolResult('tc_1', 'read_file', 'A'),
  ]
  const thinkingOf = async (messages: MetonaMessage[], model: string): Promise<unknown> =>
    ((await bodyOf(requestFor(model, { messages })))['thinking'] as Record<string, unknown>)['type']
  const thought = {
    providerState: {
      provider: 'anthropic',
      model: 'claude-haiku-4-5',
      blocks: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'metona_tool_use', id: 'toolu_1' },
      ],
    },
  }
  expect(await thinkingOf(loop({}), 'claude-haiku-4-5')).toBe('disabled')
  expect(await thinkingOf(loop(thought), 'claude-haiku-4-5')).toBe('enabled')
  expect(await thinkingOf([...loop({}), user('next')], 'claude-haiku-4-5')).toBe('disabled')
  expect(await thinkingOf([...loop({}), assistant('done'), user('next')], 'claude-haiku-4-5')).toBe('enabled')
  expect(await thinkingOf(loop({}), 'claude-opus-4-6')).toBe('adaptive')
})

describe('answers', () => {
  const stop = (reason: string, more: object = {}): unknown[] => [
    { type: 'message_delta', delta: { stop_reason: reason, ...more }, usage: { output_tokens: 3 } },
    { type: 'message_stop' },
  ]
  const block = (index: number, content: Record<string, unknown>): unknown => ({
    type: 'content_block_start',
    index,
    content_block: content,
  })
  const delta = (index: number, piece: Record<string, unknown>): unknown => ({ type: 'content_block_delta', index, delta: piece })
  const text = (index: number, value: string): unknown[] => [
    block(index, { type: 'text', text: '' }),
    delta(index, { type: 'text_delta', text: value }),
    { type: 'content_block_stop', index },
  ]

  test('what comes back can be sent back: thoughts by index, signature in parts, marks in order', async () => {
    const { response } = await decode(
      'anthropic',
      sse(
        block(0, { type: 'thinking', thinking: '', signature: '' }),
        block(1, { type: 'text', text: '' }),
        delta(1, { type: 'text_delta', text: 'answer' }),
        delta(0, { type: 'thinking_delta', thinking: 'hm' }),
        delta(0, { type: 'signature_delta', signature: 'ab' }),
        { type: 'ping' },
        delta(0, { type: 'signature_delta', signature: 'cd' }),
        { type: 'content_block_stop', index: 0 },
        { type: 'content_block_stop', index: 1 },
        block(2, { type: 'tool_use', id: 'toolu_9', name: 'read_file', input: {} }),
        delta(2, { type: 'input_json_delta', partial_json: '{"file_path":"a"}' }),
        { type: 'content_block_stop', index: 2 },
        ...stop('tool_use'),
      ),
      requestFor(MODEL),
    )
    expect(response.providerState).toEqual({
      provider: 'anthropic',
      model: MODEL,
      blocks: [
        { type: 'thinking', thinking: 'hm', signature: 'abcd' },
        { type: 'metona_text', length: 6 },
        { type: 'metona_tool_use', id: 'toolu_9' },
      ],
    })
    expect(response).toMatchObject({ content: 'answer', thinking: { content: 'hm', status: 'complete' }, finishReason: 'tool_calls' })
    const again = await messagesOf([
      user('go'),
      assistant(
        response.content,
        response.toolCalls,
        response.providerState === undefined ? {} : { providerState: response.providerState },
      ),
    ])
    expect(again[1]?.content.map((entry) => entry['type'])).toEqual(['thinking', 'text', 'tool_use'])
  })

  test('an answer without thoughts keeps no state', async () => {
    expect(
      (await decode('anthropic', sse(...text(0, 'hi'), ...stop('end_turn')), requestFor(MODEL))).response.providerState,
    ).toBeUndefined()
  })

  test('usage: cached and written tokens are added to the prompt, later reports win', async () => {
    const { response } = await decode(
      'anthropic',
      sse(
        {
          type: 'message_start',
          message: {
            usage: {
              input_tokens: 50,
              cache_creation_input_tokens: 3000,
              cache_read_input_tokens: 18_000,
              cache_creation: { ephemeral_5m_input_tokens: 2000, ephemeral_1h_input_tokens: 1000 },
              output_tokens: 1,
            },
          },
        },
        ...text(0, 'hi'),
        {
          type: 'message_delta',
          delta: { stop_reason: 'end_turn' },
          usage: { input_tokens: 60, cache_read_input_tokens: null, output_tokens: 800, output_tokens_details: { thinking_tokens: 500 } },
        },
        { type: 'message_stop' },
      ),
      requestFor(MODEL),
    )
    expect(response.usage).toEqual({
      inputTokens: 21_060,
      outputTokens: 800,
      totalTokens: 21_860,
      cacheHitTokens: 18_000,
      cacheMissTokens: 60,
      cacheWriteTokens: 3000,
      cacheWriteLongTokens: 1000,
      reasoningTokens: 500,
    })
  })

  test.each<[string, unknown[], Record<string, unknown>]>([
    ['end_turn', [...text(0, 'a'), ...stop('end_turn')], { finishReason: 'stop', content: 'a' }],
    ['stop_sequence', [...text(0, 'a'), ...stop('stop_sequence')], { finishReason: 'stop' }],
    ['pause_turn', [...text(0, 'a'), ...stop('pause_turn')], { finishReason: 'stop' }],
    ['a stop reason nobody knows yet', [...text(0, 'a'), ...stop('tired')], { finishReason: 'stop' }],
    ['max_tokens with text', [...text(0, 'a'), ...stop('max_tokens')], { finishReason: 'length', error: undefined }],
    [
      'refusal',
      [...text(0, 'I can'), ...stop('refusal', { stop_details: { category: 'cyber' } })],
      {
        finishReason: 'content_filter',
        content: 'I can',
        error: { code: 'content_filtered' },
        notices: [{ code: 'refusal', params: { category: 'cyber' } }],
      },
    ],
    [
      'the window is full',
      [...text(0, 'kept'), ...stop('model_context_window_exceeded')],
      { finishReason: 'error', content: 'kept', error: { code: 'context_length_exceeded', retryable: false } },
    ],
    [
      'a tool call cut by max_tokens',
      [
        block(0, { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: {} }),
        delta(0, { type: 'input_json_delta', partial_json: '{"file_' }),
        ...stop('max_tokens'),
      ],
      { finishReason: 'error', error: { code: 'output_length_exceeded' }, toolCalls: undefined },
    ],
    [
      'input given whole at the start of the block',
      [
        block(0, { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { file_path: 'a' } }),
        { type: 'content_block_stop', index: 0 },
        ...stop('tool_use'),
      ],
      { toolCalls: [{ name: 'read_file', args: { file_path: 'a' } }] },
    ],
    [
      'an empty text block before a tool call',
      [
        block(0, { type: 'text', text: '' }),
        { type: 'content_block_stop', index: 0 },
        block(1, { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: {} }),
        { type: 'content_block_stop', index: 1 },
        ...stop('tool_use'),
      ],
      { content: '', toolCalls: [{ args: {} }] },
    ],
    [
      'blocks that are never started or stopped',
      [delta(0, { type: 'text_delta', text: 'a' }), ...stop('end_turn')],
      { content: 'a', finishReason: 'stop' },
    ],
    [
      'an event type nobody knows yet',
      [{ type: 'weather_report', sky: 'blue' }, ...text(0, 'a'), ...stop('end_turn')],
      { content: 'a', finishReason: 'stop' },
    ],
  ])('%s', async (_name, payloads, expected) => {
    const { response } = await decode('anthropic', sse(...payloads), requestFor(MODEL, { tools: [readFile] }))
    expect({ error: undefined, toolCalls: undefined, ...response }).toMatchObject(expected)
  })

  test('a whole message in one document', async () => {
    const document = {
      type: 'message',
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'text', text: 'answer' },
        { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { file_path: 'a' } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 4, output_tokens: 2 },
    }
    const { response } = await decode('anthropic', jsonAnswer(document), requestFor(MODEL, { params: { stream: false } }))
    expect(response).toMatchObject({
      content: 'answer',
      thinking: { content: 'hm' },
      toolCalls: [{ name: 'read_file', args: { file_path: 'a' }, providerCallId: 'toolu_1' }],
      finishReason: 'tool_calls',
      usage: { inputTokens: 4, outputTokens: 2, totalTokens: 6 },
    })
  })
})

describe('refusals', () => {
  const error = (type: string, message: string, more: object = {}): unknown => ({
    type: 'error',
    error: { type, message, ...more },
    request_id: 'req_1',
  })
  test.each<[number, unknown, string, boolean]>([
    [400, error('invalid_request_error', 'prompt is too long: 3333404 tokens > 200000 maximum'), 'context_length_exceeded', false],
    [400, error('invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'), 'quota_exceeded', false],
    [400, error('invalid_request_error', 'This workspace has reached its spend limit.'), 'quota_exceeded', false],
    [400, error('invalid_request_error', 'max_tokens: Field required'), 'unknown', false],
    [401, error('authentication_error', 'invalid x-api-key'), 'auth_invalid', false],
    [401, error('authentication_error', 'This API key has expired.'), 'auth_expired', false],
    [402, error('billing_error', 'Please check your payment details.'), 'quota_exceeded', false],
    [403, error('permission_error', 'Your key cannot use this.'), 'auth_invalid', false],
    [404, error('not_found_error', 'model: claude-nothing'), 'model_not_found', false],
    [409, error('conflict_error', 'conflict'), 'unknown', true],
    [413, '<html>Request Entity Too Large</html>', 'context_length_exceeded', false],
    [429, error('rate_limit_error', 'Number of requests has exceeded your per-minute limit.'), 'rate_limited', true],
    [429, error('rate_limit_error', 'limit', { details: { error_code: 'enforced_spend_limit_reached' } }), 'quota_exceeded', false],
    [500, error('api_error', 'Internal server error'), 'unknown', true],
    [504, error('timeout_error', 'timed out'), 'network_timeout', true],
    [529, error('overloaded_error', 'Overloaded'), 'model_overloaded', true],
  ])('%i %o is %s', async (status, body, code, retryable) => {
    const answer = typeof body === 'string' ? { status, chunks: [new TextEncoder().encode(body)] } : jsonAnswer(body, status)
    expect((await decode('anthropic', answer, requestFor('claude-nothing'))).response.error).toMatchObject({
      code,
      retryable,
      provider: 'anthropic',
    })
  })
})

describe('model list', () => {
  test('reads every page, limits and capabilities; prices come from the table', async () => {
    const page = (ids: string[], more: object): unknown => ({
      data: ids.map((id) => ({
        id,
        type: 'model',
        display_name: id.toUpperCase(),
        max_input_tokens: 1_000_000,
        max_tokens: 128_000,
        capabilities: { image_input: { supported: true }, thinking: { supported: false } },
      })),
      ...more,
    })
    const transport = byteTransport({
      '/models': (request) =>
        request.path.includes('after_id=claude-opus-5')
          ? jsonAnswer(page(['claude-new'], { has_more: false, last_id: 'claude-new' }))
          : jsonAnswer(page(['claude-opus-5'], { has_more: true, last_id: 'claude-opus-5' })),
    })
    const models = await (await adapterOn('anthropic', transport)).listModels()
    expect(
      models.map(({ id, displayName, contextWindow, maxOutput, supportsThinking, supportsImages, pricing }) => [
        id,
        displayName,
        contextWindow,
        maxOutput,
        supportsThinking,
        supportsImages,
        pricing?.outputPerMillion,
      ]),
    ).toEqual([
      ['claude-opus-5', 'CLAUDE-OPUS-5', 1_000_000, 128_000, false, true, 25],
      ['claude-new', 'CLAUDE-NEW', 1_000_000, 128_000, false, true, undefined],
    ])
    expect(transport.seen.every((request) => request.headers['anthropic-version'] === '2023-06-01')).toBe(true)
  })
})
