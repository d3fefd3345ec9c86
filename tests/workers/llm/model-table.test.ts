import { describe, expect, test } from 'vitest'
import { MetonaModelInfoSchema } from '#contracts/metona/metona-adapter.ts'
import { createModelTable } from '#workers/llm/domain/model-table.ts'
import { parseModelOverrides } from '#workers/llm/domain/model-table-overrides.ts'

function overridesOf(value: unknown): ReturnType<typeof parseModelOverrides> {
  return parseModelOverrides(JSON.stringify(value))
}

describe('built-in table', () => {
  test('every entry fits the contract, has a window, and every price says its currency and day', () => {
    const models = createModelTable().list()
    for (const model of models) expect(MetonaModelInfoSchema.parse(model)).toEqual(model)
    expect(models.filter((model) => model.maxOutput >= model.contextWindow || model.maxOutput <= 0)).toEqual([])
    expect(models.filter((model) => model.pricing !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(model.pricing.asOf ?? ''))).toEqual([])
    expect(new Set(models.map((model) => model.providerId))).toEqual(new Set(['deepseek', 'agnes', 'openai', 'anthropic', 'demo']))
  })

  test('prices are the decimal figures of a price list', () => {
    expect(
      JSON.stringify(
        createModelTable()
          .list()
          .map((model) => model.pricing),
      ).match(/\d\.\d{5,}/g),
    ).toBeNull()
    expect(createModelTable().describe('openai', 'gpt-5.6-luna').model.pricing?.longPrompt).toEqual({
      aboveInputTokens: 272_000,
      inputPerMillion: 0.4,
      outputPerMillion: 1.8,
      cacheHitPerMillion: 0.04,
    })
  })

  test('a price nobody published is absent', () => {
    expect(createModelTable().describe('agnes', 'agnes-3.0-qwen')).toEqual({
      known: true,
      model: {
        id: 'agnes-3.0-qwen',
        providerId: 'agnes',
        displayName: 'Agnes 3.0 Qwen',
        contextWindow: 1_000_000,
        maxOutput: 65_536,
        supportsStreaming: true,
        supportsThinking: true,
        supportsImages: true,
        supportsToolCalling: true,
        supportsStructuredOutput: true,
      },
    })
  })

  test('DeepSeek has both price lists, with cache and peak prices', () => {
    const pricing = createModelTable(overridesOf({ currency: { deepseek: 'CNY' } }).overrides).describe('deepseek', 'deepseek-v4-pro').model
      .pricing
    expect(pricing).toMatchObject({
      currency: 'CNY',
      inputPerMillion: 4.5,
      outputPerMillion: 13.5,
      cacheHitPerMillion: 0.15,
      peak: { inputPerMillion: 9, outputPerMillion: 27, cacheHitPerMillion: 0.3 },
    })
  })

  test('a currency the provider does not bill in leaves its first list', () => {
    expect(
      createModelTable(overridesOf({ currency: { openai: 'EUR' } }).overrides).describe('openai', 'gpt-6-sol').model.pricing?.currency,
    ).toBe('USD')
  })

  test('dated and retired names find their model', () => {
    const table = createModelTable()
    expect(table.describe('openai', 'gpt-6-sol-2026-09-22')).toMatchObject({
      known: true,
      model: { id: 'gpt-6-sol-2026-09-22', contextWindow: 1_050_000 },
    })
    expect(table.describe('deepseek', 'deepseek-v4-flash')).toMatchObject({
      known: true,
      model: { id: 'deepseek-v4-flash', contextWindow: 1_048_565, supportsImages: true },
    })
    expect(table.successorOf('deepseek', 'deepseek-chat')).toBe('deepseek-flash')
  })

  test('an unknown model says so and gets the documented default, without a price', () => {
    const { model, known } = createModelTable().describe('openai-compatible', 'my-model')
    expect(known).toBe(false)
    expect(model).toEqual({
      id: 'my-model',
      providerId: 'openai-compatible',
      displayName: 'my-model',
      contextWindow: 32_768,
      maxOutput: 8_192,
      supportsStreaming: true,
      supportsThinking: false,
      supportsImages: false,
      supportsToolCalling: true,
      supportsStructuredOutput: false,
    })
  })
})

describe('live lists', () => {
  test('live figures win over built-in ones, the person over both, and order is the live one', () => {
    const table = createModelTable(
      overridesOf({ models: { 'anthropic/claude-opus-5': { maxOutput: 5000 }, 'anthropic/mine': { contextWindow: 9000 } } }).overrides,
    )
    const merged = table.merge('anthropic', [
      { id: 'claude-new' },
      { id: 'claude-opus-5', displayName: 'Claude Opus 5', contextWindow: 1_100_000, maxOutput: 64_000 },
    ])
    expect(merged.map((model) => [model.id, model.contextWindow, model.maxOutput, model.pricing?.inputPerMillion])).toEqual([
      ['claude-new', 200_000, 32_000, undefined],
      ['claude-opus-5', 1_100_000, 5_000, 5],
      ['mine', 9_000, 32_000, undefined],
    ])
    expect(table.describe('anthropic', 'claude-opus-5').model.contextWindow).toBe(1_100_000)
    expect(table.describe('anthropic', 'claude-new').known).toBe(false)
    expect(table.describe('anthropic', 'mine').known).toBe(true)
  })

  test('a live list may say that the price is not known', () => {
    const table = createModelTable()
    expect(table.describe('ollama', 'x').model.pricing?.inputPerMillion).toBe(0)
    expect(table.merge('ollama', [{ id: 'x', pricing: null }])[0]?.pricing).toBeUndefined()
  })
})

describe('models.json', () => {
  test('good entries hold, bad ones are named with what is wrong and where', () => {
    const { overrides, problems } = overridesOf({
      models: {
        'openai/good': { contextWindow: 1000, pricing: { inputPerMillion: 1, outputPerMillion: 2, currency: 'USD' } },
        'openai/typo': { contextwindow: 1000 },
        'openai/text': { contextWindow: 'big', pricing: { inputPerMillion: -1, outputPerMillion: 2, currency: 'USD' } },
        nameless: { contextWindow: 1000 },
      },
    })
    expect(Object.keys(overrides.models)).toEqual(['openai/good'])
    expect(problems.map((problem) => problem.where)).toEqual([
      'models["openai/typo"]',
      'models["openai/text"].contextWindow',
      'models["openai/text"].pricing.inputPerMillion',
      'models["nameless"]',
    ])
    expect(problems[0]?.message).toContain('contextwindow')
    expect(problems[1]?.message).toContain('expected number')
    expect(problems[3]?.message).toContain('provider/model')
  })

  test('null takes a price away: unknown, not 0', () => {
    const { overrides } = overridesOf({ models: { 'openai/gpt-6-sol': { pricing: null } } })
    expect(createModelTable(overrides).describe('openai', 'gpt-6-sol').model.pricing).toBeUndefined()
  })

  test('a file that is not JSON gives one problem and changes nothing', () => {
    const { overrides, problems } = parseModelOverrides('{"models": {,}}')
    expect(overrides).toEqual({ currency: {}, models: {} })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({ where: 'models.json', message: expect.stringContaining('not valid JSON') as string })
  })

  test('a wrong shape at the top is named', () => {
    expect(overridesOf({ model: {} }).problems[0]?.message).toContain('model')
    expect(overridesOf({ currency: { deepseek: 'yuan' } }).problems).toEqual([
      { where: 'currency.deepseek', message: 'must be a three-letter currency code such as "USD"' },
    ])
    expect(overridesOf([]).problems).toHaveLength(1)
  })

  test('a byte order mark does not matter', () => {
    expect(parseModelOverrides('\uFEFF{"models":{"openai/x":{"maxOutput":5}}}')).toEqual({
      overrides: { currency: {}, models: { 'openai/x': { maxOutput: 5 } } },
      problems: [],
    })
  })
})
