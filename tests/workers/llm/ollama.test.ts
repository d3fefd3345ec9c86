import { describe, expect, test } from 'vitest'
import type { MetonaMessage, MetonaRequest } from '#contracts/metona/metona-request.ts'
import { ollamaUrl } from '#workers/llm/adapters/ollama.adapter.ts'
import {
  adapterOn,
  byteTransport,
  bytes,
  decode,
  jsonAnswer,
  ndjson,
  requestFor,
  run,
  type Answer,
  type ByteTransport,
  type SeenRequest,
} from './adapter-harness.ts'
import { assistant, pixel, readFile, toolCall, toolResult, user } from './history.ts'

const MODEL = 'qwen3:14b'
const hello = ndjson({
  message: { role: 'assistant', content: 'hi' },
  done: true,
  done_reason: 'stop',
  prompt_eval_count: 3,
  eval_count: 1,
})

function shown(contextLength: number | undefined, capabilities: string[] | undefined, more: object = {}): Answer {
  return jsonAnswer({
    ...(capabilities === undefined ? {} : { capabilities }),
    model_info: { 'general.architecture': 'qwen3', ...(contextLength === undefined ? {} : { 'qwen3.context_length': contextLength }) },
    ...more,
  })
}

function server(show: Answer, chat: Answer | ((request: SeenRequest) => Answer) = hello): ByteTransport {
  return byteTransport({ '/api/show': show, '/api/chat': chat })
}

const chats = (transport: ByteTransport): Record<string, unknown>[] =>
  transport.seen.filter((request) => request.path === '/api/chat').map((request) => request.body)
const contexts = (transport: ByteTransport): unknown[] =>
  chats(transport).map((body) => (body['options'] as Record<string, unknown>)['num_ctx'])

describe('request', () => {
  test('address and the whole body of a first request with tools', async () => {
    const transport = server(shown(40_960, ['completion', 'tools', 'thinking']))
    await run(
      await adapterOn('ollama', transport, { apiKey: undefined }),
      requestFor(MODEL, { tools: [readFile], params: { maxTokens: 100, temperature: 0.1, topP: 0.9, stop: ['END'] } }),
    )
    const request = transport.seen.at(-1)
    expect(request?.path).toBe('/api/chat')
    expect(request?.headers).not.toHaveProperty('authorization')
    expect(request?.body).toEqual({
      model: MODEL,
      messages: [
        { role: 'system', content: 'You are a test.' },
        { role: 'user', content: 'go' },
      ],
      tools: [{ type: 'function', function: readFile }],
      think: true,
      truncate: false,
      options: { num_ctx: 4096, num_predict: 100, temperature: 0.1, top_p: 0.9, stop: ['END'] },
      stream: true,
    })
  })

  test('a key goes along for hosted models', async () => {
    const transport = server(shown(40_960, []))
    await run(await adapterOn('ollama', transport, { apiKey: 'cloud-key', baseUrl: 'https://ollama.com' }), requestFor('gpt-oss:120b'))
    expect(transport.seen.every((request) => request.headers['authorization'] === 'Bearer cloud-key')).toBe(true)
  })

  test('the model is described once', async () => {
    const transport = server(shown(40_960, []))
    const adapter = await adapterOn('ollama', transport)
    await run(adapter, requestFor(MODEL))
    await run(adapter, requestFor(MODEL))
    expect(transport.seen.map((request) => request.path)).toEqual(['/api/show', '/api/chat', '/api/chat'])
    expect(adapter.getContextWindow(MODEL)).toBe(40_960)
  })

  test.each<[string, string, string[] | undefined, Partial<MetonaRequest['params']>, unknown]>([
    ['a model that can think thinks', MODEL, ['thinking'], {}, true],
    ['and does not when it should not', MODEL, ['thinking'], { thinkingEnabled: false }, false],
    ['a model that cannot is never asked to', MODEL, ['completion'], {}, undefined],
    ['nor told not to', MODEL, ['completion'], { thinkingEnabled: false }, undefined],
    ['where nothing is known the server decides', MODEL, undefined, {}, undefined],
    ['but not thinking is said', MODEL, undefined, { thinkingEnabled: false }, false],
    ['gpt-oss knows levels only', 'gpt-oss:20b', ['thinking'], { thinkingEffort: 'high' }, 'high'],
    ['medium is its middle', 'gpt-oss:20b', ['thinking'], {}, 'medium'],
    ['and low is the least it can do', 'gpt-oss:20b', ['thinking'], { thinkingEnabled: false }, 'low'],
  ])('think: %s', async (_name, model, capabilities, params, expected) => {
    const transport = server(shown(40_960, capabilities))
    await run(await adapterOn('ollama', transport), requestFor(model, { params }))
    expect(chats(transport)[0]?.['think']).toBe(expected)
  })

  test.each<[Partial<MetonaRequest['params']>, Record<string, unknown>]>([
    [{ responseFormat: { type: 'json_object' } }, { format: 'json' }],
    [{ responseFormat: { type: 'json_schema', name: 'x', schema: { type: 'object' } } }, { format: { type: 'object' } }],
    [{ responseFormat: { type: 'text' } }, { format: undefined }],
    [{ toolChoice: 'none' }, { tools: undefined, tool_choice: undefined }],
    [{ toolChoice: 'required' }, { tool_choice: undefined }],
  ])('%o', async (params, expected) => {
    const transport = server(shown(40_960, ['tools']))
    await run(await adapterOn('ollama', transport), requestFor(MODEL, { tools: [readFile], params }))
    expect(Object.fromEntries(Object.keys(expected).map((key) => [key, chats(transport)[0]?.[key]]))).toEqual(expected)
  })

  test('history: results name their tool, thoughts go back with calls only, pictures as plain base64, content is never null', async () => {
    const transport = server(shown(40_960, ['tools', 'thinking']))
    const calls = [toolCall('tc_1', 'read_file', { file_path: 'a' }, { providerCallId: 'call_1' }), toolCall('tc_2', 'read_file', {})]
    const thinking = { content: 'hm', status: 'complete' as const, durationMs: 1, tokensUsed: 1 }
    const messages: MetonaMessage[] = [
      user('look', { images: [pixel] }),
      assistant('', calls, { thinking }),
      toolResult('tc_1', 'read_file', 'A'),
      user('thanks'),
      assistant('done', [], { thinking }),
      assistant(''),
    ]
    await run(await adapterOn('ollama', transport), requestFor(MODEL, { messages }))
    expect(chats(transport)[0]?.['messages']).toEqual([
      { role: 'system', content: 'You are a test.' },
      { role: 'user', content: 'look', images: ['iVBORw0KGgo='] },
      {
        role: 'assistant',
        content: '',
        thinking: 'hm',
        tool_calls: [
          { id: 'call_1', function: { index: 0, name: 'read_file', arguments: { file_path: 'a' } } },
          { id: 'tc_2', function: { index: 1, name: 'read_file', arguments: {} } },
        ],
      },
      { role: 'tool', content: 'A', tool_name: 'read_file', tool_call_id: 'call_1' },
      { role: 'tool', content: expect.stringContaining('interrupted') as string, tool_name: 'read_file', tool_call_id: 'tc_2' },
      { role: 'user', content: 'thanks' },
      { role: 'assistant', content: 'done' },
    ])
  })
})

describe('context size', () => {
  const long = (kilobytes: number): MetonaMessage[] => [user('word '.repeat(kilobytes * 205))]

  test('grows with the prompt in powers of two, never shrinks, never exceeds the model', async () => {
    const transport = server(shown(40_960, []))
    const adapter = await adapterOn('ollama', transport)
    for (const kilobytes of [1, 30, 1, 80, 110]) await run(adapter, requestFor(MODEL, { messages: long(kilobytes) }))
    expect(contexts(transport)).toEqual([8192, 16_384, 16_384, 32_768, 40_960])
  })

  test('leaves room for the answer that was asked for', async () => {
    const transport = server(shown(131_072, []))
    await run(await adapterOn('ollama', transport), requestFor(MODEL, { params: { maxTokens: 20_000 } }))
    expect(contexts(transport)).toEqual([32_768])
  })

  test("is never less than the model's own setting", async () => {
    const transport = server(shown(131_072, [], { parameters: 'stop "<|im_end|>"\nnum_ctx 65536' }))
    await run(await adapterOn('ollama', transport), requestFor(MODEL))
    expect(contexts(transport)).toEqual([65_536])
  })

  test('an unknown model gets what the table assumes', async () => {
    const transport = server(jsonAnswer({ error: 'not found' }, 404))
    await run(await adapterOn('ollama', transport), requestFor(MODEL, { messages: long(80) }))
    expect(contexts(transport)).toEqual([32_768])
  })

  test('a prompt that may not fit is sent with a notice before the server drops messages', async () => {
    const { response } = await run(await adapterOn('ollama', server(shown(8_192, []))), requestFor(MODEL, { messages: long(30) }))
    expect(response).toMatchObject({
      content: 'hi',
      finishReason: 'stop',
      notices: [{ code: 'context_nearly_full', params: { limit: 8_192 } }],
    })
  })

  test('a prompt that cannot fit is not sent', async () => {
    const transport = server(shown(8_192, []))
    const { response } = await run(await adapterOn('ollama', transport), requestFor(MODEL, { messages: long(100) }))
    expect(response).toMatchObject({
      finishReason: 'error',
      error: { code: 'context_length_exceeded', providerCode: 'PROMPT_TOO_LARGE', retryable: false },
    })
    expect(chats(transport)).toEqual([])
  })

  test('Chinese text weighs about a token a character', async () => {
    const transport = server(shown(131_072, []))
    await run(await adapterOn('ollama', transport), requestFor(MODEL, { messages: [user('字'.repeat(13_000))] }))
    expect(contexts(transport)).toEqual([32_768])
  })
})

describe('what a model cannot do', () => {
  test('known not to use tools: asked without them, and the person is told', async () => {
    const transport = server(shown(40_960, ['completion']))
    const { response } = await run(await adapterOn('ollama', transport), requestFor('gemma3:4b', { tools: [readFile] }))
    expect(chats(transport)[0]).not.toHaveProperty('tools')
    expect(response).toMatchObject({ content: 'hi', notices: [{ code: 'no_tools', params: { model: 'gemma3:4b' } }] })
  })

  test.each([
    ['tools', 'registry.ollama.ai/library/old:latest does not support tools'],
    ['think', '"old:latest" does not support thinking'],
  ])('refused because of %s: asked again without, and never with again', async (field, message) => {
    const transport = server(shown(40_960, field === 'think' ? ['thinking', 'tools'] : undefined), (request) =>
      request.body[field] === undefined ? hello : jsonAnswer({ error: message }, 400),
    )
    const adapter = await adapterOn('ollama', transport)
    expect((await run(adapter, requestFor('old:latest', { tools: [readFile] }))).response).toMatchObject({
      content: 'hi',
      finishReason: 'stop',
    })
    await run(adapter, requestFor('old:latest', { tools: [readFile] }))
    expect(chats(transport).map((body) => body[field] !== undefined)).toEqual([true, false, false])
  })
})

describe('answers', () => {
  const line = (message: object, more: object = {}): unknown => ({
    message: { role: 'assistant', content: '', ...message },
    done: false,
    ...more,
  })
  const last = (more: object = {}): unknown => ({ message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop', ...more })
  test.each<[string, unknown[], Record<string, unknown>]>([
    [
      'calls on one line',
      [line({ tool_calls: [{ function: { name: 'a', arguments: { x: 1 } } }, { function: { name: 'a', arguments: { x: 2 } } }] }), last()],
      {
        toolCalls: [
          { name: 'a', args: { x: 1 } },
          { name: 'a', args: { x: 2 } },
        ],
        finishReason: 'tool_calls',
      },
    ],
    [
      'equal calls without ids stay two calls',
      [
        line({ tool_calls: [{ function: { name: 'a', arguments: {} } }] }),
        line({ tool_calls: [{ function: { name: 'a', arguments: {} } }] }),
        last(),
      ],
      {
        toolCalls: [
          { name: 'a', args: {} },
          { name: 'a', args: {} },
        ],
      },
    ],
    [
      'arguments as text',
      [line({ tool_calls: [{ id: 'c1', function: { name: 'a', arguments: '{"x":1}' } }] }), last()],
      { toolCalls: [{ args: { x: 1 }, providerCallId: 'c1' }] },
    ],
    ['no arguments', [line({ tool_calls: [{ function: { name: 'a' } }] }), last()], { toolCalls: [{ args: {} }] }],
    ['counts that are left out are 0', [line({ content: 'a' }), last()], { usage: { inputTokens: 0, outputTokens: 0 } }],
    ['no reason', [line({ content: 'a' }), last({ done_reason: undefined })], { finishReason: 'stop' }],
    ['length with text', [line({ content: 'a' }), last({ done_reason: 'length' })], { finishReason: 'length', error: undefined }],
    [
      'an answer that only loaded the model',
      [last({ done_reason: 'load' })],
      { finishReason: 'stop', content: '', notices: [{ code: 'empty_answer' }] },
    ],
    [
      'tags of a model known to write them',
      [line({ content: '<thi' }), line({ content: 'nk>hm</think>\n\nyes' }), last()],
      { thinking: { content: 'hm' }, content: 'yes' },
    ],
    [
      'a thought between tags, then a call',
      [line({ content: '<think>hm' }), line({ tool_calls: [{ function: { name: 'a', arguments: {} } }] }), last()],
      { thinking: { content: 'hm' }, toolCalls: [{ name: 'a' }] },
    ],
  ])('%s', async (_name, lines, expected) => {
    const { response } = await decode('ollama', ndjson(...lines), requestFor(MODEL))
    expect({ error: undefined, toolCalls: undefined, ...response }).toMatchObject(expected)
  })

  test('tags of a model that is not known to write them are text', async () => {
    expect(
      (await decode('ollama', ndjson(line({ content: '<think>is a tag</think>' }), last()), requestFor('llama3.2:latest'))).response,
    ).toMatchObject({ content: '<think>is a tag</think>' })
  })
})

describe('refusals', () => {
  test.each<[number, unknown, string, boolean]>([
    [400, { error: 'model is required' }, 'unknown', false],
    [400, { error: 'invalid think value' }, 'unknown', false],
    [400, { error: 'the prompt exceeds the available context size' }, 'context_length_exceeded', false],
    [400, { error: 'prompt too long; exceeded max context length by 4242 tokens' }, 'context_length_exceeded', false],
    [401, { error: 'unauthorized', signin_url: 'https://ollama.com/connect' }, 'auth_invalid', false],
    [401, { error: { message: 'Unauthorized', type: 'api_error', param: null, code: null } }, 'auth_invalid', false],
    [403, { error: 'cloud is disabled' }, 'auth_invalid', false],
    [404, { error: 'model "x" not found, try pulling it first' }, 'model_not_found', false],
    [429, { error: 'too many requests' }, 'rate_limited', true],
    [500, { error: 'model runner has unexpectedly stopped' }, 'unknown', true],
    [502, { error: 'upstream error' }, 'network_error', true],
    [503, { error: 'server busy, please try again.  maximum pending requests exceeded' }, 'model_overloaded', true],
  ])('%i %o is %s', async (status, body, code, retryable) => {
    expect((await decode('ollama', jsonAnswer(body, status), requestFor('x'))).response.error).toMatchObject({
      code,
      retryable,
      provider: 'ollama',
    })
  })
})

describe('model list', () => {
  test('each model is described; hosted ones have no known price; embeddings are left out', async () => {
    const transport = byteTransport({
      '/api/tags': jsonAnswer({
        models: [
          { name: 'qwen3:14b', details: { family: 'qwen3' } },
          { name: 'gpt-oss:120b-cloud', remote_host: 'https://ollama.com', details: {} },
          { name: 'nomic-embed-text:latest', capabilities: ['embedding'], details: {} },
          { name: 'broken:1b', details: {} },
        ],
      }),
      '/api/show': (request) =>
        request.body['model'] === 'broken:1b'
          ? jsonAnswer({ error: 'no' }, 500)
          : shown(40_960, ['completion', 'tools', 'thinking', 'vision']),
    })
    const models = await (await adapterOn('ollama', transport)).listModels()
    expect(
      models.map((model) => [
        model.id,
        model.contextWindow,
        model.supportsToolCalling,
        model.supportsThinking,
        model.supportsImages,
        model.pricing?.inputPerMillion,
      ]),
    ).toEqual([
      ['qwen3:14b', 40_960, true, true, true, 0],
      ['gpt-oss:120b-cloud', 40_960, true, true, true, undefined],
      ['broken:1b', 32_768, true, true, false, 0],
    ])
  })
})

describe('address', () => {
  test.each([
    ['http://localhost:11434', 'http://localhost:11434'],
    ['http://localhost:11434/', 'http://localhost:11434'],
    ['http://localhost:11434/v1', 'http://localhost:11434'],
    ['http://localhost:11434/v1/', 'http://localhost:11434'],
    ['http://localhost:11434/api', 'http://localhost:11434'],
    ['localhost', 'http://localhost:11434'],
    ['192.168.1.5:8080', 'http://192.168.1.5:8080'],
    [':8080', 'http://localhost:8080'],
    ['0.0.0.0', 'http://127.0.0.1:11434'],
    ['0.0.0.0:11434', 'http://127.0.0.1:11434'],
    ['http://[::]:11434', 'http://127.0.0.1:11434'],
    ['https://ollama.example.org', 'https://ollama.example.org'],
    ['box/ollama', 'http://box:11434/ollama'],
  ])('OLLAMA_HOST=%s', (given, expected) => {
    expect(ollamaUrl(given)).toBe(expected)
  })
})

test('bytes of one line cut inside a character and a string give one delta', async () => {
  const whole = bytes(
    '{"message":{"content":"использовать 🌍"},"done":false}\n{"message":{"content":""},"done":true,"done_reason":"stop"}\n',
  )
  const { response } = await decode('ollama', { chunks: Array.from(whole, (_, at) => whole.subarray(at, at + 1)) }, requestFor(MODEL))
  expect(response.content).toBe('использовать 🌍')
})
