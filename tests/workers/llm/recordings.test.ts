/** Every recorded response against what its line in SOURCES.md says, and against an independent reading of the raw file. */
import { describe, expect, test } from 'vitest'
import type { MetonaRequest } from '#contracts/metona/metona-request.ts'
import { proof } from '#tests/helpers/proof.ts'
import { adapterOn, byteTransport, bytes, decode, requestFor, run, type Decoded } from './adapter-harness.ts'
import { readPlainly } from './independent-reader.ts'
import { answerFrom, bodyOf, cuts, entryOf, pieces, raw, recordingIndex } from './recording-files.ts'
import { errorRecordings, streamRecordings, type RecordingExpectation } from './recording-expectations.ts'

function requestOf(expected: RecordingExpectation): MetonaRequest {
  return requestFor(expected.model, { params: { stream: entryOf(expected.file).transport !== 'json' } })
}

const decodeWhole = (expected: RecordingExpectation): Promise<Decoded> =>
  decode(expected.provider, answerFrom(expected.file, [bytes(bodyOf(expected.file))]), requestOf(expected))

const characters = (text: string): number => [...text].length

test('every recording is used here', () => {
  const used = [...streamRecordings, ...errorRecordings].map((expected) => expected.file)
  expect(
    [...used, 'deepseek/thinking-tools-two-turns.cassette.yaml', 'deepseek/models-list.json', 'ollama/tags-list.json'].toSorted(),
  ).toEqual(recordingIndex.map((entry) => entry.file).toSorted())
})

describe.each(streamRecordings)('$file', (expected) => {
  test('decodes to what its source says', async () => {
    const { response, events } = await decodeWhole(expected)
    const { usage } = response
    if (typeof expected.text === 'string') expect(response.content).toBe(expected.text)
    else {
      if (!Number.isNaN(expected.text.length)) expect(characters(response.content)).toBe(expected.text.length)
      expect(response.content.endsWith(expected.text.endsWith)).toBe(true)
    }
    if (expected.thinkingLength !== undefined) expect(characters(response.thinking?.content ?? '')).toBe(expected.thinkingLength)
    if (expected.thinkingEndsWith !== undefined) expect(response.thinking?.content.endsWith(expected.thinkingEndsWith)).toBe(true)
    expect((response.toolCalls ?? []).map(({ name, args, invalidArguments }) => ({ name, args, invalidArguments }))).toEqual(
      (expected.calls ?? []).map((call) => ({ ...call, invalidArguments: undefined })),
    )
    expect(response.finishReason).toBe(expected.finish)
    expect(response.error?.code).toBe(expected.error?.code)
    if (expected.error?.providerCode !== undefined) expect(response.error?.providerCode).toBe(expected.error.providerCode)
    const counted = {
      in: usage.inputTokens,
      out: usage.outputTokens,
      hit: usage.cacheHitTokens,
      miss: usage.cacheMissTokens,
      reasoning: usage.reasoningTokens,
    }
    expect(counted).toMatchObject(expected.usage ?? {})
    if (requestOf(expected).params.stream) expect(events.at(-1)).toEqual({ type: 'done', finishReason: expected.finish })
  })

  test('agrees with the independent reading of the raw file', async () => {
    const { response } = await decodeWhole(expected)
    const entry = entryOf(expected.file)
    const plain = readPlainly(raw(expected.file), entry.api, entry.transport)
    if (plain.text.includes('<think>')) {
      // Here the source has the thought inside the text; parted, nothing but the tags and white space may be gone.
      expect(`<think>${response.thinking?.content}</think>${response.content}`.replace(/\s+/g, '')).toBe(plain.text.replace(/\s+/g, ''))
    } else {
      expect(response.content).toBe(plain.text)
      expect(response.thinking?.content ?? '').toBe(plain.thinking)
    }
    expect((response.toolCalls ?? []).map(({ name, args }) => ({ name, args }))).toEqual(plain.calls)
    expect([response.usage.inputTokens, response.usage.outputTokens]).toEqual([
      Number.isNaN(plain.input) ? 0 : plain.input,
      Number.isNaN(plain.output) ? 0 : plain.output,
    ])
  })

  test('gives the same events fed byte by byte and split at random', async () => {
    const whole = await decodeWhole(expected)
    const body = bytes(bodyOf(expected.file))
    const single = Array.from(body, (_, position) => body.subarray(position, position + 1))
    expect(await decode(expected.provider, answerFrom(expected.file, single), requestOf(expected))).toEqual(whole)
    for (let seed = 1; seed <= proof(50, 8); seed += 1) {
      expect(
        await decode(expected.provider, answerFrom(expected.file, pieces(body, cuts(body.length, seed))), requestOf(expected)),
        `seed ${seed}`,
      ).toEqual(whole)
    }
  })
})

test('control: a decoder per read, or a parser per read, would not survive these cuts', () => {
  const body = bytes(bodyOf('anthropic/text-stream.sse'))
  const single = Array.from(body, (_, position) => body.subarray(position, position + 1))
  expect(single.map((byte) => new TextDecoder().decode(byte)).join('')).toContain('\uFFFD')
  const lines = bytes(bodyOf('ollama/text-stream.jsonl'))
  const broken = pieces(lines, cuts(lines.length, 1)).filter((piece) => {
    try {
      JSON.parse(new TextDecoder().decode(piece))
      return false
    } catch {
      return true
    }
  })
  expect(broken.length).toBeGreaterThan(10)
})

describe('recorded refusals', () => {
  test.each(errorRecordings)('$file is $code', async ({ file, provider, code, retryable }) => {
    const { response } = await decode(provider, answerFrom(file, [bytes(raw(file))]), requestFor('nonexistent-model:latest'))
    expect(response).toMatchObject({ finishReason: 'error', error: { code, retryable, provider } })
    const said = JSON.parse(raw(file)) as { error: string | { message: string } }
    expect(response.error?.message).toBe(typeof said.error === 'string' ? said.error : said.error.message)
  })
})

describe('recorded model lists', () => {
  test('DeepSeek: ids only, completed from the table', async () => {
    const transport = byteTransport({ '/models': answerFrom('deepseek/models-list.json', [bytes(raw('deepseek/models-list.json'))]) })
    const models = await (await adapterOn('deepseek', transport)).listModels()
    expect(models.map((model) => [model.id, model.contextWindow, model.pricing?.inputPerMillion])).toEqual([
      ['deepseek-v4-flash', 1_048_565, 0.15],
      ['deepseek-v4-pro', 1_048_565, 0.66],
    ])
  })

  test('Ollama: five models, one of which cannot chat', async () => {
    const transport = byteTransport({ '/api/tags': answerFrom('ollama/tags-list.json', [bytes(raw('ollama/tags-list.json'))]) })
    const models = await (await adapterOn('ollama', transport, { apiKey: undefined })).listModels()
    expect(models.map((model) => [model.id, model.pricing?.inputPerMillion])).toEqual([
      ['qwen3:4b', 0],
      ['gemma3:4b', 0],
      ['llava:latest', 0],
      ['llama3.2:latest', 0],
    ])
  })
})

describe('deepseek/thinking-tools-two-turns.cassette.yaml', () => {
  /** The four bodies of the cassette: single-quoted YAML scalars on one line each. */
  const bodies = [...raw('deepseek/thinking-tools-two-turns.cassette.yaml').matchAll(/^ {2}body: '(.*)'$/gm)].map(
    (match) => JSON.parse((match[1] ?? '').replaceAll("''", "'")) as Record<string, unknown>,
  )
  const [firstRequest, firstAnswer, secondRequest, secondAnswer] = bodies
  const [system, user] = (firstRequest?.['messages'] ?? []) as { content: string }[]
  const [tool] = (firstRequest?.['tools'] ?? []) as {
    function: { name: string; description: string; parameters: Record<string, unknown> }
  }[]
  const request = (messages: MetonaRequest['messages']): MetonaRequest =>
    requestFor('deepseek-v4-flash', {
      systemPrompt: { roleDefinition: system?.content ?? '', outputConstraints: '', safetyGuidelines: '' },
      messages,
      tools: tool === undefined ? [] : [tool.function],
      params: { stream: false, maxTokens: 4096 },
    })
  const start = [{ role: 'user', content: user?.content ?? '', timestamp: 1 }] satisfies MetonaRequest['messages']
  const wire = (body: Record<string, unknown> | undefined): unknown => ({
    messages: withoutIndex(body?.['messages']),
    model: body?.['model'],
    max_tokens: body?.['max_tokens'],
    thinking: body?.['thinking'],
    tools: body?.['tools'],
  })

  test('both requests are built as recorded: the reasoning goes back with the call and its result', async () => {
    const first = byteTransport({ '/chat/completions': { chunks: [bytes(JSON.stringify(firstAnswer))] } })
    const { response } = await run(await adapterOn('deepseek', first), request(start))
    expect(wire(first.seen[0]?.body)).toEqual(wire(firstRequest))
    const [call] = response.toolCalls ?? []
    if (call === undefined) throw new Error('the recorded call was not read')
    const second = byteTransport({ '/chat/completions': { chunks: [bytes(JSON.stringify(secondAnswer))] } })
    const history: MetonaRequest['messages'] = [
      ...start,
      {
        role: 'assistant',
        content: response.content,
        timestamp: 2,
        toolCalls: [call],
        ...(response.thinking === undefined ? {} : { thinking: response.thinking }),
      },
      {
        role: 'tool',
        content: '',
        timestamp: 3,
        toolResult: {
          toolCallId: call.id,
          toolName: call.name,
          result: 'Weather in Tokyo: 72F (22C), sunny with light clouds, humidity 45%, wind 8 mph NW',
          success: true,
          durationMs: 1,
          timestamp: 3,
        },
      },
    ]
    const answer = await run(await adapterOn('deepseek', second), request(history))
    expect(wire(second.seen[0]?.body)).toEqual(wire(secondRequest))
    expect(answer.response).toMatchObject({
      finishReason: 'stop',
      usage: { inputTokens: 500, cacheHitTokens: 384, cacheMissTokens: 116, outputTokens: 189, reasoningTokens: 54 },
    })
  })

  function withoutIndex(messages: unknown): unknown {
    return JSON.parse(JSON.stringify(messages, (key, value: unknown) => (key === 'index' ? undefined : value)))
  }
})
