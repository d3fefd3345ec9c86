/** The llm worker as the session worker meets it: a real thread, the real service, the fake provider. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { LlmBatch, ModelTarget } from '#contracts/llm/llm-service.ts'
import { monotonicNow, startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'
import { requestOf, startLlmWorker, type LlmWorker } from './llm-worker.ts'

let fake: FakeProvider
let llm: LlmWorker
let target: ModelTarget
const KEY = 'sk-canary-0123456789'

beforeAll(async () => void (fake = await startFakeProvider()))
afterAll(() => fake.stop())
beforeEach(async () => {
  await fake.reset()
  llm = await startLlmWorker({ DEEPSEEK_API_KEY: KEY, METONA_DEMO_RATE: '0' })
  target = { provider: 'deepseek', model: 'deepseek-flash', baseUrl: fake.baseUrl }
})
afterEach(() => llm.stop())

const queueOf = (batches: readonly { batch: LlmBatch }[]) => batches.flatMap(({ batch }) => ('queue' in batch ? [batch.queue] : []))
const retriesOf = (batches: readonly { batch: LlmBatch }[]) => batches.flatMap(({ batch }) => ('retry' in batch ? [batch.retry] : []))

test('runs in a thread of its own', async () => {
  const health = await llm.client.health({})
  expect([health.threadId === threadId, health.streams, health.queued]).toEqual([false, 0, 0])
})

describe('a stream', () => {
  test('arrives in order, with usage and money', async () => {
    await fake.script([
      {
        thinking: 'let me see',
        text: 'Hello 🌍',
        toolCalls: [{ name: 'read_file', args: { file_path: 'a' } }],
        usage: {
          prompt_tokens: 1_000_000,
          completion_tokens: 1_000_000,
          total_tokens: 2_000_000,
          prompt_cache_hit_tokens: 400_000,
          prompt_cache_miss_tokens: 600_000,
        },
      },
    ])
    const { answer, events } = await llm.stream(target, requestOf('hi'))
    expect([
      answer.response.content,
      answer.response.thinking?.content,
      answer.response.finishReason,
      answer.response.toolCalls?.[0]?.args,
    ]).toEqual(['Hello 🌍', 'let me see', 'tool_calls', { file_path: 'a' }])
    expect(events.map((event) => event.type).filter((type, index, all) => type !== all[index - 1])).toEqual([
      'thinking_start',
      'reasoning_delta',
      'thinking_end',
      'text_delta',
      'tool_call_start',
      'tool_call_delta',
      'tool_call_complete',
      'usage',
      'done',
    ])
    // Flash off-peak: 0.4 × 0.003 + 0.6 × 0.15 + 1 × 0.60 = 0.6912 USD; at peak twice that.
    const { cost } = answer
    expect(cost?.currency).toBe('USD')
    expect([0.6912, 1.3824].some((total) => Math.abs((cost?.total ?? 0) - total) < 1e-9)).toBe(true)
  })

  test('sends the model, the key and what the standard says, and nothing else of ours', async () => {
    await fake.script([{ text: 'ok' }])
    await llm.stream(target, requestOf('hi', { params: { stream: true, thinkingEnabled: true, thinkingEffort: 'low', maxTokens: 77 } }))
    const [seen] = await fake.requests()
    expect(seen?.headers['authorization']).toBe(`Bearer ${KEY}`)
    expect(seen?.body).toEqual({
      model: 'deepseek-flash',
      messages: [
        { role: 'system', content: 'You are a test.' },
        { role: 'user', content: 'hi' },
      ],
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 77,
      thinking: { type: 'enabled' },
      reasoning_effort: 'low',
    })
  })

  test('comes in batches: far fewer posts than tokens at full speed', async () => {
    await fake.script([{ tokens: 5_000 }])
    const { answer, batches } = await llm.stream(target, requestOf('hi'))
    expect([answer.response.content.split(' ').length - 1, batches.length < 500]).toEqual([5_000, true])
  })

  test('a paced stream is passed on while it comes', async () => {
    await fake.script([{ tokens: 300, tokensPerSecond: 100 }])
    let firstAt = Infinity
    await llm.stream(target, requestOf('hi'), { onBatch: () => (firstAt = Math.min(firstAt, monotonicNow())) })
    const [seen] = await fake.requests()
    expect(firstAt).toBeLessThan(seen?.lastTokenAt ?? 0)
  })

  test('cancel closes the socket, keeps the text and says how long the closing took', async () => {
    await fake.script([{ tokens: 5_000, tokensPerSecond: 100 }])
    const controller = new AbortController()
    const { answer } = await llm.stream(target, requestOf('hi'), {
      signal: controller.signal,
      onBatch: (batch) => 'events' in batch && controller.abort(),
    })
    const [seen] = await fake.waitFor('closed', 1)
    expect([
      answer.response.finishReason,
      answer.response.content.startsWith('w0 '),
      answer.socketClosedMs !== undefined,
      seen?.closedByClientAt !== undefined,
    ]).toEqual(['aborted', true, true, true])
  })

  test('is repeated quietly before the first output, and each time is told', async () => {
    await fake.script([
      { kind: 'status', status: 503, body: { error: { message: 'Server Overloaded' } } },
      { kind: 'status', status: 429, headers: { 'retry-after-ms': '50' }, body: {} },
      { text: 'ok' },
    ])
    const { answer, batches, events } = await llm.stream(target, requestOf('hi'))
    expect([
      answer.response.content,
      retriesOf(batches).map((retry) => retry.attempt),
      events.filter((event) => event.type === 'error'),
    ]).toEqual(['ok', [1, 2], []])
  })

  test('is given up after the third refusal', async () => {
    await fake.script([{ answers: [{ kind: 'status', status: 503, body: { error: { message: 'Server Overloaded' } } }], repeatLast: true }])
    const { answer, events } = await llm.stream(target, requestOf('hi'))
    expect([
      answer.response.error?.code,
      answer.response.error?.retryable,
      (await fake.requests()).length,
      events.map((event) => event.type),
    ]).toEqual(['model_overloaded', true, 3, ['error', 'done']])
  })

  test('an unknown provider is an error that names the known ones', async () => {
    const { answer, events } = await llm.stream({ provider: 'nobody', model: 'x' }, requestOf('hi'))
    expect([
      answer.response.finishReason,
      answer.response.error?.providerCode,
      answer.response.error?.message.includes('deepseek'),
      events.map((event) => event.type),
    ]).toEqual(['error', 'UNKNOWN_PROVIDER', true, ['error', 'done']])
  })

  test('a model that was switched off names its successor', async () => {
    await fake.script([{ kind: 'status', status: 400, body: { error: { message: 'Model Not Exist', code: 'invalid_request_error' } } }])
    const { answer } = await llm.stream({ ...target, model: 'deepseek-chat' }, requestOf('hi'))
    expect([answer.response.error?.code, answer.response.error?.message.includes('deepseek-flash')]).toEqual(['model_not_found', true])
  })
})

describe('the queue', () => {
  test('a wait for the quota is reported, its time counted, and an abort ends it without a request', async () => {
    await llm.client.setLimits({ provider: 'deepseek', perMinute: 1 })
    await llm.stream(target, requestOf('first'))
    const controller = new AbortController()
    const { answer, batches } = await llm.stream(target, requestOf('second'), {
      signal: controller.signal,
      onBatch: (batch) => 'queue' in batch && controller.abort(),
    })
    const waits = queueOf(batches)
    expect([answer.response.finishReason, waits[0]?.provider, waits[0]?.position, waits[0]?.ended, waits.at(-1)?.ended]).toEqual([
      'aborted',
      'deepseek',
      0,
      false,
      true,
    ])
    expect(waits[0]?.untilMs).toBeGreaterThan(Date.now())
    expect((await fake.requests()).length).toBe(1)
  })

  test('after a 429 every session of that provider waits, others do not', async () => {
    await fake.script([
      { marker: 'REFUSED', answers: [{ kind: 'status', status: 429, headers: { 'retry-after': '1' }, body: {} }, { text: 'late' }] },
    ])
    let known: () => void = () => undefined
    const refusalKnown = new Promise<void>((resolve) => (known = resolve))
    const refused = llm.stream(target, requestOf('REFUSED', { meta: { sessionId: 's_a' } }), {
      onBatch: (batch) => 'retry' in batch && known(),
    })
    await refusalKnown
    const others = await Promise.all([
      llm.stream(target, requestOf('other', { meta: { sessionId: 's_b' } })),
      llm.stream({ provider: 'demo', model: 'scripted' }, requestOf('demo', { meta: { sessionId: 's_c' } })),
    ])
    expect([queueOf(others[1].batches), (await refused).answer.response.content]).toEqual([[], 'late'])
    const [first, second, third] = await fake.requests()
    // Not before the second that the provider asked for; both of its sessions came after it.
    for (const later of [second, third]) expect((later?.arrivedAt ?? 0) - (first?.lastByteAt ?? 0)).toBeGreaterThan(900)
  })

  test('more at once than allowed wait their turn', async () => {
    await llm.client.setLimits({ provider: 'deepseek', concurrency: 1 })
    await fake.script([{ answers: [{ tokens: 20, tokensPerSecond: 100 }], repeatLast: true }])
    const runs = await Promise.all(['a', 'b'].map((name) => llm.stream(target, requestOf(name, { meta: { sessionId: name } }))))
    const [first, second] = await fake.requests()
    expect(second?.arrivedAt).toBeGreaterThanOrEqual(first?.lastByteAt ?? Infinity)
    expect(runs.some((run) => run.answer.queuedMs > 50)).toBe(true)
  })
})

describe('keys', () => {
  test('come from the environment or from setKey, and null takes one away', async () => {
    const has = async (): Promise<unknown> =>
      (await llm.client.listProviders({})).providers.filter((provider) => provider.hasKey).map((provider) => provider.id)
    expect(await has()).toEqual(['deepseek'])
    await llm.client.setKey({ provider: 'agnes', apiKey: 'sk-a' })
    await llm.client.setKey({ provider: 'deepseek', apiKey: null })
    expect(await has()).toEqual(['agnes'])
    const { answer } = await llm.stream(target, requestOf('hi'))
    expect([answer.response.error?.providerCode, (await fake.requests()).length]).toEqual(['NO_KEY', 0])
  })

  test('one that cannot be one is told with the provider', async () => {
    await llm.client.setKey({ provider: 'deepseek', apiKey: 'sk-a b' })
    const deepseek = (await llm.client.listProviders({})).providers.find((provider) => provider.id === 'deepseek')
    expect([deepseek?.hasKey, deepseek?.keyProblem?.includes('DEEPSEEK_API_KEY'), JSON.stringify(deepseek).includes('sk-a b')]).toEqual([
      true,
      true,
      false,
    ])
  })

  test('is in nothing the service says', async () => {
    await fake.script([
      {
        kind: 'status',
        status: 401,
        body: { error: { message: 'Authentication Fails, Your api key: ****6789 is invalid', type: 'authentication_error' } },
      },
    ])
    const run = await llm.stream(target, requestOf('hi'))
    const said = [
      run,
      await llm.client.listProviders({}),
      await llm.client.diagnose({ target: { provider: 'deepseek', baseUrl: fake.baseUrl } }),
    ]
    expect([run.answer.response.error?.code, JSON.stringify(said).includes(KEY)]).toEqual(['auth_invalid', false])
  })
})

describe('models and diagnoses', () => {
  test('the live list is completed from the table', async () => {
    await fake.script([
      {
        path: '/models',
        answers: [{ kind: 'status', status: 200, body: { object: 'list', data: [{ id: 'deepseek-flash' }, { id: 'deepseek-next' }] } }],
        repeatLast: true,
      },
    ])
    await llm.stop()
    llm = await startLlmWorker({ DEEPSEEK_API_KEY: KEY, DEEPSEEK_BASE_URL: `${fake.baseUrl}/` })
    const { models, problems } = await llm.client.listModels({ provider: 'deepseek', live: true })
    expect([models.map((model) => [model.id, model.contextWindow, model.pricing !== undefined]), problems]).toEqual([
      [
        ['deepseek-flash', 1_048_565, true],
        ['deepseek-next', 128_000, false],
      ],
      [],
    ])
  })

  test('without a network call the table alone', async () => {
    const { models } = await llm.client.listModels({ live: false })
    expect([
      models.some((model) => model.id === 'scripted'),
      models.some((model) => model.providerId === 'anthropic'),
      (await fake.requests()).length,
    ]).toEqual([true, true, 0])
  })

  test('an unknown provider is a problem in a list and an error elsewhere', async () => {
    expect((await llm.client.listModels({ provider: 'nobody', live: true })).problems[0]?.message).toContain('deepseek')
    await expect(llm.client.describeModel({ target: { provider: 'nobody', model: 'x' } })).rejects.toMatchObject({
      code: 'UNKNOWN_PROVIDER',
    })
  })

  test('the person’s own prices win', async () => {
    const profile = mkdtempSync(join(tmpdir(), 'metona-llm-'))
    writeFileSync(
      join(profile, 'models.json'),
      JSON.stringify({
        models: { 'deepseek/deepseek-flash': { pricing: { inputPerMillion: 10, outputPerMillion: 20, currency: 'EUR' } }, 'bad name': {} },
      }),
    )
    await llm.stop()
    llm = await startLlmWorker({ DEEPSEEK_API_KEY: KEY }, profile)
    await fake.script([{ text: 'ok', usage: { prompt_tokens: 100_000, completion_tokens: 10_000, total_tokens: 110_000 } }])
    const { answer } = await llm.stream(target, requestOf('hi'))
    // 0.1 × 10 + 0.01 × 20 EUR.
    expect([answer.cost?.currency, answer.cost?.total.toFixed(6)]).toEqual(['EUR', '1.200000'])
    expect((await llm.client.listModels({ live: false })).problems.map((problem) => problem.provider)).toEqual(['models.json'])
  })

  test.each([
    ['works', { kind: 'status' as const, status: 200, body: { data: [{ id: 'deepseek-flash' }] } }, 'ok'],
    ['wrong key', { kind: 'status' as const, status: 401, body: { error: { message: 'Authentication Fails' } } }, 'key_refused'],
    ['no balance', { kind: 'status' as const, status: 402, body: { error: { message: 'Insufficient Balance' } } }, 'no_balance'],
    ['a web page', { kind: 'status' as const, status: 200, body: '<!doctype html><p>hi' }, 'wrong_base_url'],
    ['too many requests', { kind: 'status' as const, status: 429, body: {} }, 'rate_limited'],
  ])('diagnosis: %s', async (_what, answer, code) => {
    await fake.script([{ path: '/models', answers: [answer], repeatLast: true }])
    const diagnosis = await llm.client.diagnose({ target: { provider: 'deepseek', baseUrl: fake.baseUrl } })
    expect([diagnosis.code, diagnosis.ok]).toEqual([code, code === 'ok'])
  })

  test('diagnosis of a key that is not stored yet', async () => {
    await fake.script([{ path: '/models', answers: [{ kind: 'status', status: 200, body: { data: [] } }], repeatLast: true }])
    await llm.client.diagnose({ target: { provider: 'deepseek', baseUrl: fake.baseUrl }, apiKey: 'sk-new' })
    expect((await fake.requests()).at(-1)?.headers['authorization']).toBe('Bearer sk-new')
  })
})
