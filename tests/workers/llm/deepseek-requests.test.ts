/** What DeepSeek is sent, against a recorded exchange of two turns that it accepted. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { MetonaRequest } from '#contracts/metona/metona-request.ts'
import { adapterOn, byteTransport, jsonAnswer, requestFor, run } from './adapter-harness.ts'

const cassette = readFileSync(new URL('../../fixtures/providers/deepseek/thinking-tools-two-turns.cassette.yaml', import.meta.url), 'utf8')
/** The four bodies, request and answer by turns: single-quoted YAML scalars on one line. */
const bodies = [...cassette.matchAll(/^ {2}body: '(.*)'$/gm)].map(
  (match) => JSON.parse((match[1] ?? '').replaceAll("''", "'")) as Record<string, unknown>,
)

const messagesOf = (body: Record<string, unknown> | undefined): { content: string }[] => (body?.['messages'] ?? []) as { content: string }[]
const [system = '', question = ''] = messagesOf(bodies[0]).map((message) => message.content)
const weather = {
  name: 'get_weather',
  description: 'Get the current weather for a city. Must be called for weather questions.',
  parameters: { properties: { city: { description: 'City name to get weather for', type: 'string' } }, required: ['city'], type: 'object' },
}

function turn(messages: MetonaRequest['messages']): MetonaRequest {
  return {
    ...requestFor('deepseek-v4-flash', { tools: [weather], messages, params: { stream: false, maxTokens: 4096 } }),
    systemPrompt: { roleDefinition: system, outputConstraints: '', safetyGuidelines: '' },
  }
}

test('both turns of the recorded exchange are asked as they were, and read as they were answered', async () => {
  expect(bodies.length).toBe(4)
  let answered = 0
  const transport = byteTransport({ '/chat/completions': () => jsonAnswer(bodies[(answered += 2) - 1]) })
  const adapter = await adapterOn('deepseek', transport)
  const first = await run(adapter, turn([{ role: 'user', content: question, timestamp: 1 }]))
  const [call] = first.response.toolCalls ?? []
  expect([call?.name, call?.args, call?.providerCallId]).toEqual(['get_weather', { city: 'Tokyo' }, 'call_REDACTED_1'])
  const result = {
    toolCallId: call?.id ?? '',
    toolName: 'get_weather',
    result: 'Weather in Tokyo: 72F (22C), sunny with light clouds, humidity 45%, wind 8 mph NW',
    success: true,
    durationMs: 1,
    timestamp: 1,
  }
  const second = await run(
    adapter,
    turn([
      { role: 'user', content: question, timestamp: 1 },
      {
        role: 'assistant',
        content: first.response.content,
        timestamp: 1,
        toolCalls: first.response.toolCalls ?? [],
        ...(first.response.thinking === undefined ? {} : { thinking: first.response.thinking }),
      },
      { role: 'tool', content: '', timestamp: 1, toolResult: result },
    ]),
  )
  const [asked1, asked2] = transport.seen.map(({ body }) => body)
  expect(asked1).toEqual({ ...bodies[0], stream: false })
  // The recorder's client repeated the call's `index`, which the API does not ask for.
  const recorded = structuredClone(bodies[2]) as { messages: { tool_calls?: { index?: number }[] }[] }
  for (const message of recorded.messages) for (const made of message.tool_calls ?? []) delete made.index
  expect(asked2).toEqual({ ...recorded, stream: false })
  expect([second.response.finishReason, second.response.usage.cacheHitTokens, second.response.usage.cacheMissTokens]).toEqual([
    'stop',
    384,
    116,
  ])
})

test('JSON output always has the word JSON in the prompt, and a schema goes there too', async () => {
  const transport = byteTransport({ '/chat/completions': jsonAnswer(bodies[3]) })
  const adapter = await adapterOn('deepseek', transport)
  const ask = async (responseFormat: NonNullable<MetonaRequest['params']['responseFormat']>) => {
    await run(adapter, requestFor('deepseek-flash', { params: { stream: false, responseFormat } }))
    return transport.seen.at(-1)?.body
  }
  const plain = await ask({ type: 'json_object' })
  const schema = await ask({ type: 'json_schema', name: 'x', schema: { type: 'object', required: ['answer'] } })
  expect([
    plain?.['response_format'],
    JSON.stringify(plain?.['messages']).includes('JSON'),
    schema?.['response_format'],
    JSON.stringify(schema?.['messages']).includes('answer'),
  ]).toEqual([{ type: 'json_object' }, true, { type: 'json_object' }, true])
})

test('images go as parts to a model that sees, and are replaced by a word for one that does not', async () => {
  const transport = byteTransport({ '/chat/completions': jsonAnswer(bodies[3]) })
  const adapter = await adapterOn('deepseek', transport)
  const messages = [{ role: 'user' as const, content: 'look', timestamp: 1, images: [{ mediaType: 'image/png', data: 'AAAA' }] }]
  const seeing = await run(adapter, requestFor('deepseek-flash', { messages, params: { stream: false } }))
  const blind = await run(adapter, requestFor('deepseek-v4-pro', { messages, params: { stream: false } }))
  const content = transport.seen.map(({ body }) => (body['messages'] as { content: unknown }[]).at(-1)?.content)
  expect(content[0]).toEqual([
    { type: 'text', text: 'look' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
  ])
  expect([
    typeof content[1],
    seeing.response.notices,
    blind.response.notices?.map((notice) => notice.code).includes('images_left_out'),
  ]).toEqual(['string', undefined, true])
})

test('an interruption by the service keeps nothing and is retryable', async () => {
  // Made by hand: no recording of this finish exists.
  const body = { choices: [{ index: 0, message: { role: 'assistant', content: 'half' }, finish_reason: 'insufficient_system_resource' }] }
  const adapter = await adapterOn('deepseek', byteTransport({ '/chat/completions': jsonAnswer(body) }))
  const { response } = await run(adapter, requestFor('deepseek-flash', { params: { stream: false } }))
  expect([response.finishReason, response.error?.code, response.error?.retryable]).toEqual(['error', 'model_overloaded', true])
})

test('an answer of thoughts alone is kept and goes back', async () => {
  const transport = byteTransport({ '/chat/completions': jsonAnswer(bodies[3]) })
  const adapter = await adapterOn('deepseek', transport)
  const thinking = { content: 'only thought', status: 'complete' as const, durationMs: 1, tokensUsed: 1 }
  await run(
    adapter,
    turn([
      { role: 'user', content: 'a', timestamp: 1 },
      { role: 'assistant', content: '', thinking, timestamp: 1 },
      { role: 'user', content: 'b', timestamp: 1 },
    ]),
  )
  expect(messagesOf(transport.seen[0]?.body)[2]).toEqual({ role: 'assistant', content: '', reasoning_content: 'only thought' })
})
