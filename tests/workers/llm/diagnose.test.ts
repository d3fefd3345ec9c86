/** Each way in which a provider can fail a check, seen through the real adapters. */
import { describe, expect, test } from 'vitest'
import { adapterOn, byteTransport, bytes, jsonAnswer, type AdapterOptions, type Answer } from './adapter-harness.ts'

const html: Answer = { headers: { 'content-type': 'text/html' }, chunks: [bytes('<!DOCTYPE html><html><body>Sign in</body></html>')] }
const list = (...ids: string[]): Answer => jsonAnswer({ object: 'list', data: ids.map((id) => ({ id })) })

async function check(
  provider: string,
  answers: Parameters<typeof byteTransport>[0],
  options: AdapterOptions = {},
  model?: string,
): ReturnType<Awaited<ReturnType<typeof adapterOn>>['diagnose']> {
  return (await adapterOn(provider, byteTransport(answers), options)).diagnose(model)
}

/** A transport whose connections all break with this code. */
async function broken(provider: string, code: string, options: AdapterOptions = {}): ReturnType<typeof check> {
  const transport = { ...byteTransport({}), exchange: () => Promise.resolve({ kind: 'broken', code, message: code } as const) }
  return (await adapterOn(provider, transport, options)).diagnose()
}

describe('each failure has its code and a sentence in both languages', () => {
  test.each<[string, string, () => ReturnType<typeof check>, RegExp, RegExp]>([
    ['works', 'ok', () => check('openai', { '/models': list('gpt-6-sol') }), /OpenAI works/, /可以使用/],
    ['no key', 'no_key', () => check('openai', {}, { apiKey: '' }), /OPENAI_API_KEY/, /OPENAI_API_KEY/],
    ['a key with a line break', 'key_malformed', () => check('openai', {}, { apiKey: 'sk-1\nsk-2' }), /line break/, /换行/],
    [
      'key refused',
      'key_refused',
      () => check('openai', { '/models': jsonAnswer({ error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } }, 401) }),
      /does not accept the key/,
      /不接受/,
    ],
    [
      'key expired',
      'key_refused',
      () =>
        check('anthropic', {
          '/models': jsonAnswer({ type: 'error', error: { type: 'authentication_error', message: 'This API key has expired.' } }, 401),
        }),
      /expired/,
      /过期/,
    ],
    [
      'region not allowed',
      'key_refused',
      () => check('openai', { '/models': jsonAnswer({ error: { message: 'Country, region, or territory not supported' } }, 403) }),
      /region/,
      /地区/,
    ],
    [
      'no balance',
      'no_balance',
      () => check('agnes', { '/models': jsonAnswer({ error: { message: 'Token Plan quota used up' } }, 402) }),
      /Top it up/,
      /充值/,
    ],
    [
      'no balance, and the list does not say so',
      'no_balance',
      () =>
        check('deepseek', {
          '/models': list('deepseek-flash'),
          '/user/balance': jsonAnswer({ is_available: false, balance_infos: [{ currency: 'CNY', total_balance: '0.00' }] }),
        }),
      /Top it up/,
      /充值/,
    ],
    ['Ollama not running', 'not_running', () => broken('ollama', 'ECONNREFUSED', { apiKey: undefined }), /ollama serve/, /ollama serve/],
    [
      'a server not running',
      'not_running',
      () => broken('openai-compatible', 'ECONNREFUSED', { baseUrl: 'http://127.0.0.1:1234' }),
      /Nothing listens at http:\/\/127\.0\.0\.1:1234/,
      /没有服务/,
    ],
    [
      'model not pulled',
      'model_missing',
      () =>
        check(
          'ollama',
          { '/api/tags': jsonAnswer({ models: [{ name: 'qwen3:4b', details: {} }] }), '/api/show': jsonAnswer({}) },
          { apiKey: undefined },
          'llama3.2',
        ),
      /ollama pull llama3\.2/,
      /ollama pull llama3\.2/,
    ],
    [
      'model not listed',
      'model_missing',
      () => check('openai', { '/models': list('gpt-6-sol') }, {}, 'gpt-9'),
      /does not list/,
      /没有模型/,
    ],
    [
      'model switched off',
      'model_missing',
      () => check('deepseek', { '/models': list('deepseek-flash') }, {}, 'deepseek-chat'),
      /Use deepseek-flash/,
      /请改用 deepseek-flash/,
    ],
    [
      'model cannot use tools',
      'no_tools',
      () =>
        check(
          'ollama',
          {
            '/api/tags': jsonAnswer({ models: [{ name: 'gemma3:4b', details: {} }] }),
            '/api/show': jsonAnswer({ capabilities: ['completion'] }),
          },
          { apiKey: undefined },
          'gemma3:4b',
        ),
      /cannot use tools/,
      /不支持工具/,
    ],
    ['a web page', 'wrong_base_url', () => check('openai', { '/models': html }), /web page/, /网页/],
    [
      'nothing there',
      'wrong_base_url',
      () => check('openai-compatible', { '/models': jsonAnswer({ detail: 'Not Found' }, 404) }),
      /model list/,
      /模型列表/,
    ],
    ['/v1 twice', 'wrong_base_url', () => check('openai-compatible', {}, { baseUrl: 'http://127.0.0.1:9/v1/v1' }), /\/v1 twice/, /两次/],
    [
      'no address at all',
      'wrong_base_url',
      () => check('openai', {}, { baseUrl: 'api.openai.com' }),
      /http:\/\/ or https:\/\//,
      /https:\/\//,
    ],
    [
      'a redirect',
      'wrong_base_url',
      () => check('openai', { '/models': { status: 308, headers: { location: 'https://elsewhere.example' }, chunks: [] } }),
      /final address/,
      /最终地址/,
    ],
    [
      'another service',
      'wrong_base_url',
      () => check('openai', { '/models': jsonAnswer({ hello: 'world' }) }),
      /another service/,
      /其他服务/,
    ],
    [
      'too many requests',
      'rate_limited',
      () => check('openai', { '/models': jsonAnswer({ error: { message: 'Rate limit reached' } }, 429) }),
      /Wait/,
      /稍后/,
    ],
    [
      'overloaded',
      'overloaded',
      () =>
        check('anthropic', { '/models': jsonAnswer({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 529) }),
      /overloaded/,
      /过载/,
    ],
    ['no name', 'unreachable', () => broken('openai', 'ENOTFOUND'), /typing mistake/, /地址有误/],
    ['no connection', 'unreachable', () => broken('openai', 'ECONNRESET'), /cannot be reached/, /无法连接/],
    ['an untrusted certificate', 'unreachable', () => broken('openai', 'SELF_SIGNED_CERT_IN_CHAIN'), /certificate/, /证书/],
    [
      'an error of the server',
      'unknown',
      () => check('openai', { '/models': jsonAnswer({ error: { message: 'Internal trouble' } }, 500) }),
      /Internal trouble/,
      /Internal trouble/,
    ],
  ])('%s', async (_name, code, ask, en, zh) => {
    const found = await ask()
    expect(found).toMatchObject({ code, ok: code === 'ok', message: found.sentences?.en })
    expect(found.sentences?.en).toMatch(en)
    expect(found.sentences?.zh).toMatch(zh)
    // What happened, what it means, what to do. A working provider needs one sentence.
    if (code !== 'ok' && code !== 'unknown')
      expect(found.sentences?.en.split(/[.:](?: |$)/).filter((part) => part !== '').length).toBeGreaterThanOrEqual(2)
  })

  test('a key is in no diagnosis', async () => {
    const found = await check(
      'openai',
      { '/models': jsonAnswer({ error: { message: 'no', code: 'invalid_api_key' } }, 401) },
      { apiKey: 'sk-canary-0123456789' },
    )
    expect(JSON.stringify(found)).not.toContain('sk-canary')
  })
})

test('healthCheck is the same answer as a boolean', async () => {
  const good = await adapterOn('openai', byteTransport({ '/models': list('gpt-6-sol') }))
  const bad = await adapterOn('openai', byteTransport({ '/models': html }))
  expect([await good.healthCheck(), await bad.healthCheck()]).toEqual([true, false])
})

test('a model without its tag is found, and the balance is shown', async () => {
  expect(
    await check(
      'ollama',
      {
        '/api/tags': jsonAnswer({ models: [{ name: 'llama3.2:latest', details: {} }] }),
        '/api/show': jsonAnswer({ capabilities: ['tools', 'completion'] }),
      },
      { apiKey: undefined },
      'llama3.2',
    ),
  ).toMatchObject({ ok: true, code: 'ok' })
  expect(
    await check('deepseek', {
      '/models': list('deepseek-flash'),
      '/user/balance': jsonAnswer({ is_available: true, balance_infos: [{ currency: 'CNY', total_balance: '110.00' }] }),
    }),
  ).toMatchObject({ ok: true, details: '110.00 CNY' })
})

test('a list and a diagnosis at once ask the provider once', async () => {
  const transport = byteTransport({ '/models': list('gpt-6-sol') })
  const adapter = await adapterOn('openai', transport)
  await Promise.all([adapter.listModels(), adapter.diagnose()])
  expect(transport.seen).toHaveLength(1)
})

test('an unreachable provider still lists what the table knows', async () => {
  const adapter = await adapterOn('anthropic', byteTransport({ '/models': html }))
  expect((await adapter.listModels()).map((model) => model.id)).toContain('claude-opus-5-5')
})
