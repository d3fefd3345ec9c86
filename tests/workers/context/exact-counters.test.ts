import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { proof } from '#tests/helpers/proof.ts'
import { countMessage, countSystem, countTools, promptOverheads } from '#workers/context/domain/prompt-overhead.ts'
import { BytePairCounter } from '#workers/context/tokenizers/byte-pair-counter.ts'
import { loadCounter, type TextCounter } from '#workers/context/tokenizers/exact-counters.ts'
import { splitDeepseek } from '#workers/context/tokenizers/split-text.ts'
import { referenceTokenizer, type ReferenceTokenizer } from './reference-tokenizers.ts'
import { textSamples } from './text-samples.ts'

const ROOT = join(import.meta.dirname, '../../..')
const RECORDED = join(ROOT, 'tests/fixtures/providers/deepseek')
const SAMPLES = proof(300, 30)

describe.each(['deepseek', 'qwen'] as const)('the %s counter', (name) => {
  let counter: TextCounter
  let reference: ReferenceTokenizer
  beforeAll(async () => {
    counter = await loadCounter(name)
    reference = await referenceTokenizer(name)
  })

  test(
    `equals its reference tokenizer on ${SAMPLES} texts of many kinds`,
    () => {
      const different = textSamples(SAMPLES, 2026)
        .map(({ kind, text }) => ({
          kind,
          ours: counter.count(text),
          theirs: reference.encode(text, { add_special_tokens: false }).length,
          start: text.slice(0, 60),
        }))
        .filter(({ ours, theirs }) => ours !== theirs)
      expect(different).toEqual([])
    },
    proof(600_000, 120_000),
  )

  test('stays quick and exact on a long text without any break', () => {
    const text = 'abcdefgh'.repeat(12_500)
    const start = performance.now()
    const tokens = counter.count(text)
    expect([tokens > 10_000 && tokens < 100_000, performance.now() - start < 10_000, counter.count(text.slice(0, 2_000))]).toEqual([
      true,
      true,
      reference.encode(text.slice(0, 2_000), { add_special_tokens: false }).length,
    ])
  })

  test('counts nothing in nothing', () => {
    expect(counter.count('')).toBe(0)
  })
})

test('control: a vocabulary that lacks one string counts differently', () => {
  const ranks: [string, number][] = [
    ['th', 0],
    ['he', 1],
    ['the', 2],
  ]
  const count = (most: number): number => new BytePairCounter(new Map(ranks.slice(0, most)), splitDeepseek).count('the')
  expect([count(3), count(2)]).toEqual([1, 2])
})

test('the vocabulary assets are what their script makes of the published packages', () => {
  const output = execFileSync(process.execPath, [join(ROOT, 'workers/context/tokenizers/make-vocabulary.ts'), '--check'], {
    encoding: 'utf8',
  })
  expect(
    output
      .trim()
      .split('\n')
      .map((line) => line.replace(/^(\S+).* (\S+)$/, '$1 $2')),
  ).toEqual(['deepseek-vocabulary: same', 'qwen-vocabulary: same'])
})

describe('published and recorded numbers', () => {
  test('the vector of the tokenizer’s published example has 26 tokens', async () => {
    expect((await loadCounter('deepseek')).count('Hello! 毕老师！1 + 1 = 2 ĠÑĤÐ²ÑĬÑĢ')).toBe(26)
  })

  test('a recorded answer has exactly the tokens the service reported for it', async () => {
    const counter = await loadCounter('deepseek')
    const text = deltasOf('text-stream.sse', 'content')
    const thinking = deltasOf('reasoning-stream.chunks.txt', 'reasoning_content')
    expect([counter.count(text), counter.count(thinking)]).toEqual([163, 205])
  })

  test('two recorded requests with a tool have exactly the prompt tokens the service reported', async () => {
    const counter = await loadCounter('deepseek')
    const bodies = readFileSync(join(RECORDED, 'thinking-tools-two-turns.cassette.yaml'), 'utf8').matchAll(
      /^ {2}body: '(\{"max_tokens.*)'$/gm,
    )
    const prompts = [...bodies].map((match) =>
      promptTokens(JSON.parse((match[1] ?? '').replaceAll("''", "'")) as RecordedBody, (text) => counter.count(text)),
    )
    expect(prompts).toEqual([381, 500])
  })

  test('the OpenAI counter gives the published counts of its encoding', async () => {
    const counter = await loadCounter('o200k')
    // From the vendor's cookbook on counting tokens: o200k_base.
    expect([counter.count('antidisestablishmentarianism'), counter.count('2 + 2 = 4'), counter.count('お誕生日おめでとう')]).toEqual([
      6, 7, 8,
    ])
  })

  test('text that spells a control token is counted, not refused', async () => {
    expect([
      (await loadCounter('o200k')).count('a <|endoftext|> b') > 0,
      (await loadCounter('deepseek')).count('<｜end▁of▁sentence｜>') > 0,
    ]).toEqual([true, true])
  })
})

function deltasOf(file: string, field: 'content' | 'reasoning_content'): string {
  const chunks = readFileSync(join(RECORDED, file), 'utf8')
    .split('\n')
    .map((line) => line.replace(/^data: /, ''))
    .filter((line) => line.startsWith('{'))
  return chunks
    .map((line) => (JSON.parse(line) as { choices: { delta?: Record<string, string | null> }[] }).choices[0]?.delta?.[field] ?? '')
    .join('')
}

interface RecordedBody {
  messages: {
    role: 'system' | 'user' | 'assistant' | 'tool'
    content: string
    reasoning_content?: string
    tool_call_id?: string
    tool_calls?: { id: string; function: { name: string; arguments: string } }[]
  }[]
  tools: { function: { name: string; description: string; parameters: Record<string, unknown> } }[]
}

function promptTokens(body: RecordedBody, count: (text: string) => number): number {
  const overhead = promptOverheads.deepseek
  let tokens = countTools(
    body.tools.map((tool) => tool.function),
    count,
    overhead,
  )
  for (const message of body.messages) {
    if (message.role === 'system')
      tokens += countSystem({ roleDefinition: message.content, outputConstraints: '', safetyGuidelines: '' }, count, overhead)
    else {
      tokens += countMessage(
        {
          role: message.role,
          content: message.role === 'tool' ? '' : message.content,
          timestamp: 0,
          ...(message.reasoning_content === undefined
            ? {}
            : { thinking: { content: message.reasoning_content, status: 'complete' as const, durationMs: 0, tokensUsed: 0 } }),
          ...(message.tool_calls === undefined
            ? {}
            : {
                toolCalls: message.tool_calls.map((call) => ({
                  id: call.id,
                  name: call.function.name,
                  args: JSON.parse(call.function.arguments) as Record<string, unknown>,
                  iteration: 1,
                  timestamp: 0,
                })),
              }),
          ...(message.tool_call_id === undefined
            ? {}
            : {
                toolResult: {
                  toolCallId: message.tool_call_id,
                  toolName: 'get_weather',
                  result: message.content,
                  success: true,
                  durationMs: 0,
                  timestamp: 0,
                },
              }),
        },
        count,
        overhead,
        () => 0,
      )
    }
  }
  return tokens
}
