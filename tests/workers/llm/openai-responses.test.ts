import { describe, expect, test } from 'vitest'
import type { MetonaMessage, MetonaRequest } from '#contracts/metona/metona-request.ts'
import { openAiTraits } from '#workers/llm/adapters/openai-models.ts'
import { fitsStrict } from '#workers/llm/domain/strict-schema.ts'
import { adapterOn, byteTransport, decode, jsonAnswer, requestFor, run, sse } from './adapter-harness.ts'
import { assistant, pixel, readFile, toolCall, toolResult, user } from './history.ts'

const MODEL = 'gpt-6-sol'
const completed = (response: object = {}): unknown => ({
  type: 'response.completed',
  response: { status: 'completed', output: [], ...response },
})

async function bodyOf(request: MetonaRequest, baseUrl?: string): Promise<Record<string, unknown>> {
  const transport = byteTransport({ '/responses': sse(completed()) })
  await run(await adapterOn('openai', transport, { baseUrl }), request)
  return transport.seen[0]?.body ?? {}
}

const inputOf = async (messages: MetonaMessage[], model = MODEL): Promise<unknown> =>
  (await bodyOf(requestFor(model, { messages })))['input']

describe('request', () => {
  test('address, headers and the whole body of a first request with tools', async () => {
    const transport = byteTransport({ '/responses': sse(completed()) })
    await run(
      await adapterOn('openai', transport),
      requestFor(MODEL, { tools: [readFile], params: { maxTokens: 1000, toolChoice: 'auto', thinkingEffort: 'low', temperature: 0.3 } }),
    )
    expect(transport.seen[0]).toMatchObject({ path: '/v1/responses', method: 'POST', headers: { authorization: 'Bearer test-key' } })
    expect(transport.seen[0]?.body).toEqual({
      model: MODEL,
      instructions: 'You are a test.',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go' }] }],
      tools: [{ type: 'function', name: 'read_file', description: 'Reads a file', parameters: readFile.parameters, strict: false }],
      tool_choice: 'auto',
      max_output_tokens: 1000,
      reasoning: { effort: 'low', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      store: false,
      stream: true,
      prompt_cache_key: 's_0000000000',
      stream_options: { include_obfuscation: false },
    })
  })

  test("a server of somebody else's gets no field that only OpenAI has", async () => {
    const body = await bodyOf(requestFor(MODEL), 'http://127.0.0.1:9/v1')
    expect(Object.keys(body).filter((key) => key === 'prompt_cache_key' || key === 'stream_options')).toEqual([])
  })

  test.each<[string, string, Partial<MetonaRequest['params']>, Record<string, unknown>]>([
    [
      'thinking off where it can be',
      MODEL,
      { thinkingEnabled: false, temperature: 0.3, topP: 0.5 },
      { reasoning: { effort: 'none' }, temperature: 0.3, top_p: 0.5 },
    ],
    ['sampling is refused while thinking', MODEL, { temperature: 0.3 }, { temperature: undefined, reasoning: { summary: 'auto' } }],
    [
      'the first GPT-5 cannot be switched off',
      'gpt-5-nano',
      { thinkingEnabled: false, temperature: 0.3 },
      { reasoning: { effort: 'minimal' }, temperature: undefined },
    ],
    ['nor can the o series', 'o3-mini', { thinkingEnabled: false }, { reasoning: { effort: 'low' } }],
    ['a model without reasoning', 'gpt-4o-mini', { temperature: 0.3 }, { reasoning: undefined, include: undefined, temperature: 0.3 }],
    ['a limit below the least one', MODEL, { maxTokens: 1 }, { max_output_tokens: 16 }],
    ['JSON', MODEL, { responseFormat: { type: 'json_object' } }, { text: { format: { type: 'json_object' } } }],
    [
      'a schema',
      MODEL,
      { responseFormat: { type: 'json_schema', name: 'x', schema: { type: 'object', properties: {}, additionalProperties: false } } },
      {
        text: {
          format: { type: 'json_schema', name: 'x', schema: { type: 'object', properties: {}, additionalProperties: false }, strict: true },
        },
      },
    ],
    ['no tools, no choice', MODEL, { toolChoice: 'required' }, { tool_choice: undefined, tools: undefined }],
  ])('%s', async (_name, model, params, expected) => {
    const body = await bodyOf(requestFor(model, { params }))
    expect(Object.fromEntries(Object.keys(expected).map((key) => [key, body[key]]))).toEqual(expected)
  })

  test('traits are read from the name', () => {
    expect(openAiTraits('gpt-5.6-luna')).toEqual({ reasoning: true, off: 'none', sampling: 'without_thinking' })
    expect(openAiTraits('gpt-4.1')).toEqual({ reasoning: false, off: undefined, sampling: 'always' })
    expect(openAiTraits('gpt-5.3-chat-latest')).toEqual({ reasoning: false, off: undefined, sampling: 'always' })
    expect(openAiTraits('local-model')).toEqual({ reasoning: false, off: undefined, sampling: 'always' })
  })

  test('stop strings are left out and the person is told', async () => {
    const transport = byteTransport({
      '/responses': sse(completed({ output: [{ type: 'message', content: [{ type: 'output_text', text: 'hi' }] }] })),
    })
    const { response } = await run(await adapterOn('openai', transport), requestFor(MODEL, { params: { stop: ['END'] } }))
    expect(transport.seen[0]?.body).not.toHaveProperty('stop')
    expect(response.notices).toMatchObject([{ code: 'parameter_ignored', params: { parameter: 'stop' } }])
  })

  test('an account that may not see summaries is asked again without them, and not again after that', async () => {
    const refusal = jsonAnswer(
      {
        error: {
          message: 'Your organization must be verified to generate reasoning summaries.',
          type: 'invalid_request_error',
          param: 'reasoning.summary',
          code: 'unsupported_value',
        },
      },
      400,
    )
    const transport = byteTransport({
      '/responses': (request) =>
        JSON.stringify(request.body).includes('summary')
          ? refusal
          : sse(completed({ output: [{ type: 'message', content: [{ type: 'output_text', text: 'hi' }] }] })),
    })
    const adapter = await adapterOn('openai', transport)
    expect((await run(adapter, requestFor(MODEL))).response).toMatchObject({ content: 'hi', finishReason: 'stop' })
    expect((await run(adapter, requestFor(MODEL))).response).toMatchObject({ content: 'hi' })
    expect(transport.seen.map((request) => JSON.stringify(request.body['reasoning'] ?? null))).toEqual([
      '{"summary":"auto"}',
      'null',
      'null',
    ])
  })
})

test('reasoning that cannot be read any more is left out for that session', async () => {
  const refusal = jsonAnswer(
    {
      error: {
        message: 'The encrypted content for item rs_1 could not be verified.',
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_encrypted_content',
      },
    },
    400,
  )
  const transport = byteTransport({
    '/responses': (request) =>
      JSON.stringify(request.body['input']).includes('encrypted_content')
        ? refusal
        : sse(completed({ output: [{ type: 'message', content: [{ type: 'output_text', text: 'hi' }] }] })),
  })
  const messages = [
    assistant('', [toolCall('tc_1', 'read_file', {}, { providerCallId: 'call_1' })], {
      providerState: {
        provider: 'openai',
        model: MODEL,
        blocks: [
          { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'old' },
          { type: 'metona_function_call', id: 'call_1' },
        ],
      },
    }),
    toolResult('tc_1', 'read_file', 'A'),
  ]
  const adapter = await adapterOn('openai', transport)
  expect((await run(adapter, requestFor(MODEL, { messages }))).response).toMatchObject({ content: 'hi', finishReason: 'stop' })
  await run(adapter, requestFor(MODEL, { messages }))
  expect(transport.seen.map((request) => (request.body['input'] as { type: string }[]).map((item) => item.type))).toEqual([
    ['reasoning', 'function_call', 'function_call_output'],
    ['function_call', 'function_call_output'],
    ['function_call', 'function_call_output'],
  ])
})

describe('strict schemas', () => {
  test.each<[boolean, unknown]>([
    [
      true,
      {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: ['number', 'null'] } },
        required: ['a', 'b'],
        additionalProperties: false,
      },
    ],
    [
      true,
      {
        type: 'object',
        properties: { list: { type: 'array', items: { type: 'object', properties: {}, additionalProperties: false } } },
        required: ['list'],
        additionalProperties: false,
      },
    ],
    [false, readFile.parameters],
    [false, { type: 'object', properties: { a: { type: 'string' } }, required: [], additionalProperties: false }],
    [false, { type: 'object', properties: { a: { type: 'object', properties: {} } }, required: ['a'], additionalProperties: false }],
    [false, { type: 'object', properties: { a: { oneOf: [] } }, required: ['a'], additionalProperties: false }],
    [false, { type: 'object', properties: { a: {} }, required: ['a'], additionalProperties: false }],
    [false, 'text'],
  ])('%s for %o', (expected, schema) => {
    expect(fitsStrict(schema)).toBe(expected)
  })
})

describe('history', () => {
  test('calls and results are items of their own, joined by the call id; pictures go along', async () => {
    const calls = [toolCall('tc_1', 'read_file', { file_path: 'a' }, { providerCallId: 'call_1' }), toolCall('tc_2', 'read_file', {})]
    expect(
      await inputOf([
        user('look', { images: [pixel] }),
        assistant('Reading.', calls),
        toolResult('tc_2', 'read_file', null, { success: false, error: 'no such file' }),
        toolResult('tc_1', 'read_file', 'A', {}, { images: [pixel] }),
        { role: 'system', content: 'note', timestamp: 1 },
      ]),
    ).toEqual([
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'look' },
          { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'auto' },
        ],
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Reading.' }] },
      { type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: '{"file_path":"a"}' },
      { type: 'function_call', call_id: 'tc_2', name: 'read_file', arguments: '{}' },
      {
        type: 'function_call_output',
        call_id: 'call_1',
        output: [
          { type: 'input_text', text: 'A' },
          { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'auto' },
        ],
      },
      { type: 'function_call_output', call_id: 'tc_2', output: 'Error: no such file' },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'note' }] },
    ])
  })

  const reasoning = (id: string): Record<string, unknown> => ({ type: 'reasoning', id, summary: [], encrypted_content: `secret ${id}` })
  const blocks = [
    reasoning('rs_1'),
    { type: 'metona_message', length: 3, phase: 'commentary' },
    reasoning('rs_2'),
    { type: 'metona_function_call', id: 'call_1' },
  ]
  const thought = (more: Partial<MetonaMessage> = {}): MetonaMessage =>
    assistant('one', [toolCall('tc_1', 'read_file', {}, { providerCallId: 'call_1' })], {
      providerState: { provider: 'openai', model: MODEL, blocks },
      ...more,
    })
  const output = { type: 'function_call_output', call_id: 'call_1', output: 'A' }
  const call = { type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: '{}' }
  const result = toolResult('tc_1', 'read_file', 'A')

  test('reasoning goes back in place, right before what it led to', async () => {
    expect(await inputOf([thought(), result])).toEqual([
      reasoning('rs_1'),
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'one' }], phase: 'commentary' },
      reasoning('rs_2'),
      call,
      output,
    ])
  })

  test('reasoning is left out for any other model or provider', async () => {
    const plain = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'one' }] }, call, output]
    expect(await inputOf([thought(), result], 'gpt-6.1-sol')).toEqual(plain)
    expect(await inputOf([thought({ providerState: { provider: 'anthropic', model: MODEL, blocks } }), result])).toEqual(plain)
  })

  test('reasoning without its encrypted content, or with nothing behind it, is left out', async () => {
    const open = thought({
      providerState: {
        provider: 'openai',
        model: MODEL,
        blocks: [{ type: 'reasoning', id: 'rs_1', summary: [] }, { type: 'metona_function_call', id: 'call_1' }, reasoning('rs_3')],
      },
    })
    expect(await inputOf([open, result])).toEqual([
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'one' }] },
      call,
      output,
    ])
  })

  test('a text that was changed since stands whole, and a dropped call takes its reasoning along', async () => {
    expect(await inputOf([thought({ content: 'edited' }), result])).toEqual([
      reasoning('rs_1'),
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'edited' }] },
      reasoning('rs_2'),
      call,
      output,
    ])
    expect(await inputOf([assistant('one', [], { providerState: { provider: 'openai', model: MODEL, blocks } })])).toEqual([
      reasoning('rs_1'),
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'one' }], phase: 'commentary' },
    ])
  })

  test('an assistant message with nothing in it is no item', async () => {
    expect(await inputOf([user('a'), assistant(''), user('b')])).toEqual([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'a' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'b' }] },
    ])
  })
})

describe('answers', () => {
  const added = (output_index: number, item: Record<string, unknown>): unknown => ({
    type: 'response.output_item.added',
    output_index,
    item,
  })
  const done = (output_index: number, item: Record<string, unknown>): unknown => ({ type: 'response.output_item.done', output_index, item })
  const message = (text: string): Record<string, unknown> => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text }],
  })
  const functionCall = (args: string, more: object = {}): Record<string, unknown> => ({
    id: 'fc_1',
    type: 'function_call',
    call_id: 'call_1',
    name: 'read_file',
    arguments: args,
    ...more,
  })
  const text = (output_index: number, delta: string): unknown => ({
    type: 'response.output_text.delta',
    output_index,
    item_id: 'msg_1',
    delta,
  })
  const args = (output_index: number, delta: string, item_id = 'fc_1'): unknown => ({
    type: 'response.function_call_arguments.delta',
    output_index,
    item_id,
    delta,
  })

  test('what comes back can be sent back: reasoning with its final content, marks in order', async () => {
    const { response, events } = await decode(
      'openai',
      sse(
        { type: 'response.created', response: { status: 'in_progress' } },
        added(0, { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'half' }),
        { type: 'response.reasoning_summary_part.added', output_index: 0, summary_index: 0 },
        { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'First' },
        { type: 'response.reasoning_summary_part.added', output_index: 0, summary_index: 1 },
        { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 1, delta: 'second' },
        done(0, {
          id: 'rs_1',
          type: 'reasoning',
          status: 'completed',
          summary: [
            { type: 'summary_text', text: 'First' },
            { type: 'summary_text', text: 'second' },
          ],
          encrypted_content: 'whole',
        }),
        added(1, { id: 'msg_1', type: 'message', content: [] }),
        text(1, 'answer'),
        done(1, { ...message('answer'), phase: 'commentary' }),
        added(2, functionCall('')),
        args(2, '{"file_'),
        args(2, 'path":"a"}'),
        { type: 'response.function_call_arguments.done', output_index: 2, item_id: 'fc_1', arguments: '{"file_path":"a"}' },
        done(2, functionCall('{"file_path":"a"}')),
        completed({
          usage: {
            input_tokens: 100,
            input_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
            output_tokens: 20,
            output_tokens_details: { reasoning_tokens: 5 },
            total_tokens: 120,
          },
        }),
      ),
      requestFor(MODEL),
    )
    expect(events.map((event) => event.type)).toEqual([
      'thinking_start',
      'reasoning_delta',
      'reasoning_delta',
      'reasoning_delta',
      'thinking_end',
      'text_delta',
      'tool_call_start',
      'tool_call_delta',
      'tool_call_delta',
      'tool_call_complete',
      'usage',
      'done',
    ])
    expect(response).toMatchObject({
      content: 'answer',
      thinking: { content: 'First\n\nsecond' },
      finishReason: 'tool_calls',
      toolCalls: [{ name: 'read_file', args: { file_path: 'a' }, providerCallId: 'call_1' }],
      usage: { inputTokens: 100, outputTokens: 20, totalTokens: 120, cacheHitTokens: 60, cacheWriteTokens: 10, reasoningTokens: 5 },
    })
    expect(response.providerState?.blocks).toEqual([
      {
        id: 'rs_1',
        type: 'reasoning',
        summary: [
          { type: 'summary_text', text: 'First' },
          { type: 'summary_text', text: 'second' },
        ],
        encrypted_content: 'whole',
      },
      { type: 'metona_message', length: 6, phase: 'commentary' },
      { type: 'metona_function_call', id: 'call_1' },
    ])
  })

  test.each<[string, unknown[], Record<string, unknown>]>([
    [
      'text',
      [text(0, 'a'), text(0, 'b'), done(0, message('ab')), completed()],
      { content: 'ab', finishReason: 'stop', providerState: undefined },
    ],
    [
      'item ids that change in every event',
      [added(0, functionCall('')), args(0, '{"file_', 'x1'), args(0, 'path":"a"}', 'x2'), completed()],
      { toolCalls: [{ args: { file_path: 'a' } }] },
    ],
    [
      'no output index at all',
      [
        { type: 'response.output_item.added', item: functionCall('') },
        { type: 'response.function_call_arguments.delta', item_id: 'fc_1', delta: '{}' },
        completed(),
      ],
      { toolCalls: [{ name: 'read_file', args: {} }] },
    ],
    [
      'parallel calls, mixed',
      [
        added(0, functionCall('')),
        added(1, functionCall('', { id: 'fc_2', call_id: 'call_2', name: 'other' })),
        args(1, '{"b":', 'fc_2'),
        args(0, '{"a":1}'),
        args(1, '2}', 'fc_2'),
        completed(),
      ],
      {
        toolCalls: [
          { name: 'read_file', args: { a: 1 } },
          { name: 'other', args: { b: 2 } },
        ],
      },
    ],
    [
      'arguments only in the done events',
      [added(0, functionCall('')), done(0, functionCall('{"file_path":"a"}')), completed()],
      { toolCalls: [{ args: { file_path: 'a' } }] },
    ],
    [
      'nothing but the final event',
      [completed({ output: [message('hi'), functionCall('{}')] })],
      { content: 'hi', toolCalls: [{ name: 'read_file' }], finishReason: 'tool_calls' },
    ],
    ['a call without arguments', [added(0, functionCall('')), done(0, functionCall('')), completed()], { toolCalls: [{ args: {} }] }],
    [
      'a done that contradicts its deltas',
      [added(0, functionCall('')), args(0, '{"file_path":"a"}'), done(0, functionCall('{"file_path":"b"}')), completed()],
      { finishReason: 'error', error: { code: 'invalid_response' }, toolCalls: undefined },
    ],
    [
      'a refusal',
      [{ type: 'response.refusal.delta', output_index: 0, delta: 'I cannot' }, completed()],
      { content: 'I cannot', finishReason: 'content_filter', error: { code: 'content_filtered' } },
    ],
    [
      'incomplete by length, with text',
      [
        text(0, 'a'),
        { type: 'response.incomplete', response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } } },
      ],
      { content: 'a', finishReason: 'length', error: undefined },
    ],
    [
      'incomplete by length, a call cut',
      [
        added(0, functionCall('')),
        args(0, '{"file_'),
        { type: 'response.incomplete', response: { incomplete_details: { reason: 'max_output_tokens' } } },
      ],
      { finishReason: 'error', error: { code: 'output_length_exceeded' }, toolCalls: undefined },
    ],
    [
      'incomplete by filter',
      [text(0, 'a'), { type: 'response.incomplete', response: { incomplete_details: { reason: 'content_filter' } } }],
      { content: 'a', finishReason: 'content_filter', error: { code: 'content_filtered' } },
    ],
    [
      'failed',
      [
        text(0, 'a'),
        { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error', message: 'The model failed' } } },
      ],
      {
        content: 'a',
        finishReason: 'error',
        error: { code: 'unknown', providerCode: 'server_error', retryable: true, message: 'The model failed' },
      },
    ],
    [
      'an error at the top level',
      [{ type: 'error', code: 'rate_limit_exceeded', message: 'Slow down', param: null }],
      { finishReason: 'error', error: { code: 'rate_limited', message: 'Slow down' } },
    ],
    [
      'an error nested, then failed: reported once',
      [
        { type: 'error', error: { type: 'server_error', code: 'bio_policy', message: 'no' } },
        { type: 'response.failed', response: { error: { code: 'server_error', message: 'other' } } },
      ],
      { error: { code: 'content_filtered', message: 'no' } },
    ],
    [
      'an event type nobody knows yet, and an end mark',
      [{ type: 'response.hologram.delta', delta: 'x' }, text(0, 'a'), completed(), '[DONE]'],
      { content: 'a', finishReason: 'stop' },
    ],
    [
      'reasoning text of an open model',
      [{ type: 'response.reasoning_text.delta', output_index: 0, delta: 'hm' }, text(1, 'a'), completed()],
      { thinking: { content: 'hm' }, content: 'a' },
    ],
    ['the end is missing', [text(0, 'a')], { content: 'a', finishReason: 'error', error: { code: 'network_error' } }],
  ])('%s', async (_name, payloads, expected) => {
    const { response } = await decode('openai', sse(...payloads), requestFor(MODEL, { tools: [readFile] }))
    expect({ error: undefined, toolCalls: undefined, providerState: undefined, ...response }).toMatchObject(expected)
  })

  test('a whole response in one document', async () => {
    const document = {
      object: 'response',
      status: 'completed',
      output: [
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'e' },
        message('answer'),
        functionCall('{"file_path":"a"}'),
      ],
      usage: { input_tokens: 4, output_tokens: 2 },
    }
    const { response } = await decode('openai', jsonAnswer(document), requestFor(MODEL, { params: { stream: false } }))
    expect(response).toMatchObject({
      content: 'answer',
      thinking: { content: 'hm' },
      toolCalls: [{ args: { file_path: 'a' } }],
      finishReason: 'tool_calls',
      usage: { totalTokens: 6 },
    })
    expect(response.providerState?.blocks).toHaveLength(3)
  })
})

describe('refusals', () => {
  const error = (code: string | null, message: string, type = 'invalid_request_error'): unknown => ({
    error: { message, type, param: null, code },
  })
  test.each<[number, unknown, string, boolean]>([
    [400, error('context_length_exceeded', 'Your input exceeds the context window of this model.'), 'context_length_exceeded', false],
    [400, error('unsupported_parameter', "Unsupported parameter: 'temperature'"), 'unknown', false],
    [401, error('invalid_api_key', 'Incorrect API key provided: sk-***.'), 'auth_invalid', false],
    [403, error(null, 'Country, region, or territory not supported'), 'auth_invalid', false],
    [404, error('model_not_found', 'The model `gpt-9` does not exist or you do not have access to it.'), 'model_not_found', false],
    [429, error('rate_limit_exceeded', 'Rate limit reached', 'tokens'), 'rate_limited', true],
    [429, error('insufficient_quota', 'You exceeded your current quota', 'insufficient_quota'), 'quota_exceeded', false],
    [429, error('credit_balance_exhausted', 'No credit', 'insufficient_quota'), 'quota_exceeded', false],
    [500, error(null, 'The server had an error', 'server_error'), 'unknown', true],
    [503, error('slow_down', 'Slow down'), 'model_overloaded', true],
  ])('%i %o is %s', async (status, body, code, retryable) => {
    expect((await decode('openai', jsonAnswer(body, status), requestFor('gpt-9'))).response.error).toMatchObject({
      code,
      retryable,
      provider: 'openai',
    })
  })
})

test('the model list leaves out what cannot chat', async () => {
  const ids = [
    'gpt-6-sol',
    'text-embedding-3-large',
    'gpt-image-2',
    'gpt-realtime',
    'gpt-4o-transcribe',
    'tts-1',
    'omni-moderation-latest',
    'o3-mini',
    'whisper-1',
    'gpt-3.5-turbo-instruct',
  ]
  const transport = byteTransport({
    '/models': jsonAnswer({ object: 'list', data: ids.map((id) => ({ id, object: 'model', created: 1, owned_by: 'openai' })) }),
  })
  const models = await (await adapterOn('openai', transport)).listModels()
  expect(models.map((model) => [model.id, model.contextWindow, model.pricing?.outputPerMillion])).toEqual([
    ['gpt-6-sol', 1_050_000, 10],
    ['o3-mini', 128_000, undefined],
  ])
})
