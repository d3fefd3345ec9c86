/** The contracts against the internal API standard: its printed types, its enums, its worked examples. */
import { describe, expect, expectTypeOf, test } from 'vitest'
import type * as z from 'zod'
import * as contracts from '#contracts/metona/index.ts'
import * as standard from './standard-types.ts'

const t = Date.UTC(2026, 5, 25, 12)

/** A whole value of every printed type: all fields the standard prints, optional ones included. */
const wholes = {
  MetonaThinking: { content: '先读文件', status: 'complete', durationMs: 900, tokensUsed: 42 } satisfies standard.MetonaThinking,
  MetonaToolCall: {
    id: 'tc_1',
    name: 'read_file',
    args: { file_path: '/home/user/data.csv' },
    iteration: 1,
    timestamp: t,
  } satisfies standard.MetonaToolCall,
  MetonaToolResult: {
    toolCallId: 'tc_1',
    toolName: 'read_file',
    result: { any: ['thing'] },
    summary: '1000 行',
    success: false,
    error: 'gone',
    durationMs: 5,
    timestamp: t,
  } satisfies standard.MetonaToolResult,
  MetonaError: {
    code: 'rate_limited',
    message: '请求过于频繁',
    provider: 'deepseek',
    providerCode: '429',
    retryable: true,
    retryAfterMs: 1500,
  } satisfies standard.MetonaError,
  MetonaMemoryItem: {
    id: 'm_1',
    type: 'semantic',
    content: '用户喜欢简洁的回答',
    summary: '简洁',
    source: 'user_input',
    importance: 0.8,
    relevanceScore: 3.2,
    sessionId: 's_abc',
    createdAt: t,
    expiresAt: t + 1,
  } satisfies standard.MetonaMemoryItem,
  MetonaPricing: { inputPerMillion: 2, outputPerMillion: 8, currency: 'CNY' } satisfies standard.MetonaPricing,
  MetonaModelInfo: {
    id: 'deepseek-v4-pro',
    providerId: 'deepseek',
    displayName: 'DeepSeek V4 Pro',
    contextWindow: 128_000,
    maxOutput: 8_192,
    supportsStreaming: true,
    supportsThinking: true,
    supportsImages: false,
    supportsToolCalling: true,
    supportsStructuredOutput: true,
    pricing: { inputPerMillion: 2, outputPerMillion: 8, currency: 'CNY' },
  } satisfies standard.MetonaModelInfo,
  MetonaContext: {
    id: 'c_1',
    sessionId: 's_abc',
    systemPrompt: { roleDefinition: 'r', outputConstraints: 'o', safetyGuidelines: 's' },
    history: [{ role: 'user', content: '你好', timestamp: t }],
    relevantMemories: [],
    currentTask: { userInput: '你好', iteration: 1, taskGoal: '问候' },
    availableTools: [{ name: 'read_file', description: '读取文件内容', parameters: { type: 'object' } }],
    estimatedTokens: 1240,
    usageRatio: 0.01,
    needsCompression: false,
  } satisfies standard.MetonaContext<contracts.MetonaSystemPrompt, contracts.MetonaMessage, contracts.MetonaToolDef>,
}

const schemas: Readonly<Record<keyof typeof wholes, z.ZodType>> = {
  MetonaThinking: contracts.MetonaThinkingSchema,
  MetonaToolCall: contracts.MetonaToolCallSchema,
  MetonaToolResult: contracts.MetonaToolResultSchema,
  MetonaError: contracts.MetonaErrorSchema,
  MetonaMemoryItem: contracts.MetonaMemoryItemSchema,
  MetonaPricing: contracts.MetonaPricingSchema,
  MetonaModelInfo: contracts.MetonaModelInfoSchema,
  MetonaContext: contracts.MetonaContextSchema,
}

/** Fields the standard prints with a question mark. */
const mayBeAbsent: Readonly<Record<keyof typeof wholes, readonly string[]>> = {
  MetonaThinking: [],
  MetonaToolCall: [],
  MetonaToolResult: ['summary', 'error'],
  MetonaError: ['provider', 'providerCode', 'retryAfterMs'],
  MetonaMemoryItem: ['summary', 'relevanceScore', 'sessionId', 'expiresAt'],
  MetonaPricing: [],
  MetonaModelInfo: ['pricing'],
  MetonaContext: [],
}

describe('the printed types', () => {
  const cases = (Object.keys(wholes) as (keyof typeof wholes)[]).map((name) => ({ name, whole: wholes[name] as Record<string, unknown> }))

  test.each(cases)('$name: a whole value passes unchanged', ({ name, whole }) => {
    expect(schemas[name].parse(whole)).toEqual(whole)
  })

  test.each(cases)('$name: exactly the optional fields may be absent', ({ name, whole }) => {
    const absent = Object.keys(whole).filter((field) => {
      const { [field]: _left, ...rest } = whole
      return schemas[name].safeParse(rest).success
    })
    expect(absent).toEqual(mayBeAbsent[name])
  })

  test.each(cases.flatMap(({ name, whole }) => Object.keys(whole).map((field) => ({ name, field, whole }))))(
    '$name.$field: a value of another type is refused',
    ({ name, field, whole }) => {
      const wrong = typeof whole[field] === 'string' ? 7 : 'text'
      // `result` is unknown in the standard: everything is right.
      expect(schemas[name].safeParse({ ...whole, [field]: wrong }).success).toBe(field === 'result')
    },
  )

  test('the inferred types take what the standard takes', () => {
    expectTypeOf<standard.MetonaThinking>().toExtend<contracts.MetonaThinking>()
    expectTypeOf<standard.MetonaToolCall>().toExtend<contracts.MetonaToolCall>()
    expectTypeOf<standard.MetonaToolResult>().toExtend<contracts.MetonaToolResult>()
    expectTypeOf<standard.MetonaError>().toExtend<contracts.MetonaError>()
    expectTypeOf<standard.MetonaErrorCode>().toEqualTypeOf<contracts.MetonaErrorCode>()
    expectTypeOf<standard.MetonaMemoryItem>().toExtend<contracts.MetonaMemoryItem>()
    expectTypeOf<standard.MetonaPricing>().toExtend<contracts.MetonaPricing>()
    expectTypeOf<standard.MetonaModelInfo>().toExtend<contracts.MetonaModelInfo>()
    expectTypeOf<
      standard.MetonaContext<contracts.MetonaSystemPrompt, contracts.MetonaMessage, contracts.MetonaToolDef>
    >().toExtend<contracts.MetonaContext>()
    // The compiler is what checks here; the run only shows that the file was loaded.
    expect(Object.keys(wholes)).toHaveLength(8)
  })

  test('an adapter written to the standard is one of ours', () => {
    type StandardAdapter = standard.IMetonaProviderAdapter<contracts.MetonaRequest, contracts.MetonaResponse, contracts.MetonaStreamEvent>
    const written: StandardAdapter = {
      providerId: 'own',
      supportedModels: ['m'],
      getContextWindow: () => 1,
      healthCheck: () => Promise.resolve(true),
      send: () => Promise.reject(new Error('not called')),
      sendStream: () => Promise.reject(new Error('not called')),
      listModels: () => Promise.resolve([]),
    }
    const ours: contracts.IMetonaProviderAdapter = written
    expect(ours.providerId).toBe('own')
  })
})

describe('the enums', () => {
  test('error codes are the seventeen of the standard, under its names', () => {
    expect(contracts.MetonaErrorCode).toEqual(standard.errorCodes)
    expect(Object.keys(contracts.MetonaErrorCode)).toHaveLength(17)
  })

  test.each(Object.entries(standard.errorCodes))('%s = %s is accepted where an error carries it', (_name, code) => {
    expect(contracts.MetonaErrorSchema.parse({ code, message: 'm', retryable: false })).toEqual({ code, message: 'm', retryable: false })
  })

  test('finish reasons', () => {
    expect(contracts.MetonaFinishReason).toEqual({
      STOP: 'stop',
      TOOL_CALLS: 'tool_calls',
      LENGTH: 'length',
      CONTENT_FILTER: 'content_filter',
      ERROR: 'error',
      ABORTED: 'aborted',
    })
  })

  test.each([
    [contracts.MetonaErrorCodeSchema, 'RATE_LIMITED'],
    [contracts.MetonaErrorCodeSchema, 'rate-limited'],
    [contracts.MetonaFinishReasonSchema, 'STOP'],
    [contracts.MetonaFinishReasonSchema, 'end_turn'],
  ])('a value outside the set is refused', (schema, value) => {
    expect(schema.safeParse(value).success).toBe(false)
  })
})

describe('worked example: a plain question', () => {
  const request = {
    meta: { sessionId: 's_abc', iteration: 1, requestId: 'r_001', timestamp: t, agentVersion: '1.0.0' },
    systemPrompt: {
      roleDefinition: '你是一个专业的编程助手。',
      outputConstraints: '用中文回答，代码块使用 ``` 包裹。',
      safetyGuidelines: '不编造事实，不确定时如实说明。',
    },
    messages: [{ role: 'user', content: '解释 JavaScript 的事件循环机制。', timestamp: t }],
    params: { maxTokens: 4096, temperature: 0.0, stream: false, thinkingEnabled: false },
  }
  const response = {
    meta: { requestId: 'r_001', provider: 'deepseek', model: 'deepseek-v4-pro', latencyMs: 850, timestamp: t },
    content: 'JavaScript 的事件循环（Event Loop）是...\n\n```js\nconsole.log(1)...\n```',
    usage: { inputTokens: 120, outputTokens: 350, totalTokens: 470 },
    finishReason: contracts.MetonaFinishReason.STOP,
  }

  test('the request passes unchanged', () => {
    expect(contracts.MetonaRequestSchema.parse(request)).toEqual(request)
  })

  test('the response passes unchanged', () => {
    expect(contracts.MetonaResponseSchema.parse(response)).toEqual(response)
  })

  test.each(['meta', 'systemPrompt', 'messages', 'params'])('a request without %s is refused', (field) => {
    const { [field]: _left, ...rest } = request as Record<string, unknown>
    expect(contracts.MetonaRequestSchema.safeParse(rest).success).toBe(false)
  })

  test.each(['meta', 'content', 'usage', 'finishReason'])('a response without %s is refused', (field) => {
    const { [field]: _left, ...rest } = response as Record<string, unknown>
    expect(contracts.MetonaResponseSchema.safeParse(rest).success).toBe(false)
  })
})

describe('worked example: two iterations with a tool', () => {
  // What the standard elides is filled in here: the system prompt, the tools' parameters, the rest of meta.
  const systemPrompt = { roleDefinition: 'r', outputConstraints: 'o', safetyGuidelines: 's' }
  const tools = [
    {
      name: 'read_file',
      description: '读取文件内容',
      parameters: { type: 'object', properties: { file_path: { type: 'string' } }, required: ['file_path'] },
    },
    { name: 'analyze_csv', description: '分析 CSV 数据', parameters: { type: 'object' } },
  ]
  const question = { role: 'user', content: '读取 /home/user/data.csv 并分析内容。', timestamp: t }
  const callAsPrinted = { id: 'tc_1', name: 'read_file', args: { file_path: '/home/user/data.csv' }, iteration: 1 }
  const answerAsPrinted = { role: 'assistant', content: '', toolCalls: [callAsPrinted], timestamp: t }
  const result = {
    role: 'tool',
    content: '',
    toolResult: {
      toolCallId: 'tc_1',
      toolName: 'read_file',
      result: '...',
      success: true,
      durationMs: 5,
      timestamp: t,
      summary: '文件 data.csv 包含 1000 行数据，字段为 name,age,email,city',
    },
    timestamp: t,
  }

  test('the first request passes unchanged', () => {
    const request1 = {
      meta: { sessionId: 's_xyz', iteration: 1, requestId: 'r_002', timestamp: t, agentVersion: '1.0.0' },
      systemPrompt,
      messages: [question],
      tools,
      params: { stream: true, thinkingEnabled: true },
    }
    expect(contracts.MetonaRequestSchema.parse(request1)).toEqual(request1)
  })

  test('the stream events pass unchanged, in the order the standard shows', () => {
    const events = [
      { type: 'thinking_start' },
      { type: 'reasoning_delta', delta: '需要' },
      { type: 'reasoning_delta', delta: '读取文件' },
      { type: 'thinking_end', thinking: { content: '需要读取文件', status: 'complete', durationMs: 1200, tokensUsed: 6 } },
      { type: 'tool_call_complete', toolCall: { ...callAsPrinted, timestamp: t } },
      { type: 'done', finishReason: 'tool_calls' },
    ]
    expect(events.map((event) => contracts.MetonaStreamEventSchema.parse(event))).toEqual(events)
  })

  test('every kind of stream event', () => {
    const usage = {
      inputTokens: 1240,
      outputTokens: 85,
      totalTokens: 1325,
      cacheHitTokens: 1000,
      cacheMissTokens: 240,
      reasoningTokens: 40,
    }
    const events = [
      { type: 'thinking_start' },
      { type: 'reasoning_delta', delta: 'd' },
      { type: 'thinking_end', thinking: wholes.MetonaThinking },
      { type: 'text_delta', delta: 'd' },
      { type: 'tool_call_start', toolCallId: 'tc_1', name: 'read_file' },
      { type: 'tool_call_delta', toolCallId: 'tc_1', delta: '{"file' },
      { type: 'tool_call_complete', toolCall: wholes.MetonaToolCall },
      { type: 'usage', usage },
      { type: 'error', error: wholes.MetonaError },
      { type: 'done', finishReason: 'stop' },
    ]
    expect(events.map((event) => contracts.MetonaStreamEventSchema.parse(event))).toEqual(events)
    expect(contracts.MetonaStreamEventSchema.options.map((option) => option.shape.type.value)).toEqual(events.map((event) => event.type))
  })

  test('the second request passes, and its tool call takes the time of its message', () => {
    const request2 = {
      meta: { sessionId: 's_xyz', timestamp: t, agentVersion: '1.0.0', iteration: 2, requestId: 'r_003' },
      systemPrompt,
      messages: [question, answerAsPrinted, result],
      tools,
      params: { stream: true, thinkingEnabled: false },
    }
    const before = structuredClone(request2)
    const parsed = contracts.MetonaRequestSchema.parse(request2)
    expect(parsed).toEqual({
      ...request2,
      messages: [question, { ...answerAsPrinted, toolCalls: [{ ...callAsPrinted, timestamp: t }] }, result],
    })
    expect(request2).toEqual(before)
  })

  test('a tool call that has a timestamp keeps it', () => {
    const message = {
      ...answerAsPrinted,
      toolCalls: [
        { ...callAsPrinted, timestamp: t - 40 },
        { ...callAsPrinted, id: 'tc_2', timestamp: 0 },
      ],
    }
    expect(contracts.MetonaMessageSchema.parse(message).toolCalls?.map((call) => call.timestamp)).toEqual([t - 40, 0])
  })

  const refused: readonly (readonly [string, unknown])[] = [
    ['a message without timestamp, though its call has one', { role: 'assistant', content: '', toolCalls: [wholes.MetonaToolCall] }],
    ['a message without timestamp and a call without', { role: 'assistant', content: '', toolCalls: [callAsPrinted] }],
    ['a call whose timestamp is null', { ...answerAsPrinted, toolCalls: [{ ...callAsPrinted, timestamp: null }] }],
    ['a call whose timestamp is text', { ...answerAsPrinted, toolCalls: [{ ...callAsPrinted, timestamp: '2026' }] }],
    ...['id', 'name', 'args', 'iteration'].map((field) => {
      const { [field]: _left, ...call } = callAsPrinted as Record<string, unknown>
      return [`a call without ${field}`, { ...answerAsPrinted, toolCalls: [call] }] as const
    }),
    ['a tool result without timestamp', { ...result, toolResult: { ...result.toolResult, timestamp: undefined } }],
    ['tool calls that are no list', { ...answerAsPrinted, toolCalls: callAsPrinted }],
    ['a call that is no object', { ...answerAsPrinted, toolCalls: ['tc_1'] }],
    ['an unknown role', { ...question, role: 'developer' }],
  ]
  test.each(refused)('%s is refused', (_what, message) => {
    expect(contracts.MetonaMessageSchema.safeParse(message).success).toBe(false)
  })

  test('outside a message a call needs its own timestamp', () => {
    expect(contracts.MetonaToolCallSchema.safeParse(callAsPrinted).success).toBe(false)
    expect(contracts.MetonaStreamEventSchema.safeParse({ type: 'tool_call_complete', toolCall: callAsPrinted }).success).toBe(false)
  })
})
