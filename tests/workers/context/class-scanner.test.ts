import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { estimateTokens } from '#workers/context/domain/class-scanner.ts'
import { modelFamily } from '#workers/context/domain/model-family.ts'
import { referenceTokenizer } from './reference-tokenizers.ts'
import { textSamples } from './text-samples.ts'

const ORDINARY = new Set(['english', 'code', 'zh-cn'])

describe('the class scanner', () => {
  test.each(['deepseek', 'qwen'] as const)(
    'for %s is within a tenth on average and three tenths at worst on ordinary text',
    async (family) => {
      const tokenizer = await referenceTokenizer(family)
      const errors = textSamples(160, 5, 4_000)
        .filter(({ kind }) => ORDINARY.has(kind))
        .map(({ text }) => Math.abs(estimateTokens(text, family) / tokenizer.encode(text, { add_special_tokens: false }).length - 1))
      expect({
        samples: errors.length >= 30,
        mean: errors.reduce((sum, error) => sum + error, 0) / errors.length < 0.1,
        worst: Math.max(...errors) < 0.3,
      }).toEqual({ samples: true, mean: true, worst: true })
    },
  )

  test('control: characters over four is outside that bound on Chinese', async () => {
    const tokenizer = await referenceTokenizer('deepseek')
    const texts = textSamples(80, 5, 4_000).filter(({ kind }) => kind === 'zh-cn')
    const worst = Math.max(
      ...texts.map(({ text }) => Math.abs(text.length / 4 / tokenizer.encode(text, { add_special_tokens: false }).length - 1)),
    )
    expect(worst).toBeGreaterThan(0.3)
  })

  test('gives nothing for nothing and something for anything', () => {
    expect([estimateTokens('', 'o200k'), estimateTokens(' ', 'o200k'), estimateTokens('\ud800', 'qwen') > 0]).toEqual([0, 1, true])
  })

  test('reads a million characters in well under a second', () => {
    const text = readFileSync(join(import.meta.dirname, '../../../node_modules/typescript/lib/lib.dom.d.ts'), 'utf8').slice(0, 1_000_000)
    const before = process.cpuUsage()
    estimateTokens(text, 'deepseek')
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(500)
  })
})

test.each([
  ['deepseek', 'deepseek-v4-pro', 'deepseek'],
  ['openai-compatible', 'deepseek-ai/DeepSeek-V4', 'deepseek'],
  ['ollama', 'qwen3:8b', 'qwen'],
  ['ollama', 'deepseek-r1:7b', 'qwen'],
  ['ollama', 'deepseek-r1:8b', undefined],
  ['openai', 'gpt-5', 'o200k'],
  ['openai', 'gpt-3.5-turbo', undefined],
  ['openai-compatible', 'gpt-oss-120b', 'o200k'],
  ['anthropic', 'claude-sonnet-5', undefined],
  ['agnes', 'agnes-2', undefined],
])('%s/%s is counted exactly by %s', (provider, model, exact) => {
  expect(modelFamily(provider, model).exact).toBe(exact)
})
