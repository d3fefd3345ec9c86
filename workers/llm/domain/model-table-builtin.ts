/**
 * What is known of each provider's models without asking it. Every figure carries the day it was read
 * (`asOf`); a price nobody published is left out. People correct it in `models.json`.
 */
import type { MetonaModelInfo, MetonaPricing, PeakHours } from '#contracts/metona/metona-adapter.ts'

/** A model as the table keeps it: one price list per currency the provider bills in. */
export interface BuiltInModel extends Omit<MetonaModelInfo, 'pricing'> {
  /** The first is the default. */
  readonly prices: readonly MetonaPricing[]
  /** Names the provider still accepts and serves as this model. */
  readonly aliases?: readonly string[]
}

/** Day the table was last read against the providers' pages. */
export const TABLE_DATE = '2026-11-30'

/**
 * DeepSeek's peak: 09:00-12:00 and 14:00-18:00 in Beijing on working days. The Beijing date is the UTC date
 * in all these hours. Holidays: 2026 as announced; 2027 only the days fixed by law, as the bridge days were
 * not announced when this was read.
 */
const deepSeekPeakHours: PeakHours = {
  weekdays: [1, 2, 3, 4, 5],
  hours: [
    [1, 4],
    [6, 10],
  ],
  exceptDays: [
    ...days('2026-01-01', 3),
    ...days('2026-02-15', 9),
    ...days('2026-04-04', 3),
    ...days('2026-05-01', 5),
    ...days('2026-06-19', 3),
    ...days('2026-09-25', 3),
    ...days('2026-10-01', 7),
    ...days('2027-01-01', 1),
    ...days('2027-02-05', 4),
    ...days('2027-04-05', 1),
    ...days('2027-05-01', 2),
    ...days('2027-06-09', 1),
    ...days('2027-09-15', 1),
    ...days('2027-10-01', 3),
  ],
}

const everything = {
  supportsStreaming: true,
  supportsThinking: true,
  supportsImages: true,
  supportsToolCalling: true,
  supportsStructuredOutput: true,
} as const

const deepSeek: BuiltInModel[] = [
  {
    ...everything,
    id: 'deepseek-flash',
    providerId: 'deepseek',
    displayName: 'DeepSeek Flash (V4.1)',
    contextWindow: 1_048_565,
    maxOutput: 393_216,
    aliases: ['deepseek-v4-flash', 'deepseek-v4-flash-vision-exp'],
    prices: [deepSeekPrice('USD', [0.003, 0.15, 0.6], [0.006, 0.3, 1.2]), deepSeekPrice('CNY', [0.02, 1, 4], [0.04, 2, 8])],
  },
  {
    ...everything,
    supportsImages: false,
    id: 'deepseek-v4-pro',
    providerId: 'deepseek',
    displayName: 'DeepSeek V4 Pro',
    contextWindow: 1_048_565,
    maxOutput: 393_216,
    prices: [deepSeekPrice('USD', [0.022, 0.66, 1.98], [0.044, 1.32, 3.96]), deepSeekPrice('CNY', [0.15, 4.5, 13.5], [0.3, 9, 27])],
  },
]

const agnes: BuiltInModel[] = [
  agnesModel('agnes-1.5-flash', 'Agnes 1.5 Flash', 256_000, free('USD'), { supportsThinking: false }),
  agnesModel('agnes-2.0-flash', 'Agnes 2.0 Flash', 256_000, free('USD')),
  agnesModel('agnes-2.5-flash', 'Agnes 2.5 Flash', 512_000, free('USD')),
  agnesModel('agnes-2.5-pro', 'Agnes 2.5 Pro', 1_000_000, agnesPro(), {}, ['agnes-2.5-pro-alpha']),
  agnesModel('agnes-3.0-flash', 'Agnes 3.0 Flash', 512_000, free('USD')),
  agnesModel('agnes-3.0-qwen', 'Agnes 3.0 Qwen', 1_000_000, undefined),
]

/** 922,000 tokens in and 128,000 out share this window. */
const openAi: BuiltInModel[] = [
  openAiModel('gpt-6-astra', 'GPT-6 Astra', [10, 1, 12.5, undefined, 50]),
  openAiModel('gpt-6.1-sol', 'GPT-6.1 Sol', [2, 0.1, 2.5, undefined, 10]),
  openAiModel('gpt-6-sol', 'GPT-6 Sol', [2, 0.2, 2.5, undefined, 10]),
  openAiModel('gpt-6.1-terra', 'GPT-6.1 Terra', [1, 0.05, 1.25, 2.5, 5]),
  openAiModel('gpt-6-luna', 'GPT-6 Luna', [0.1, 0.01, 0.125, undefined, 0.5]),
  openAiModel('gpt-5.6-sol', 'GPT-5.6 Sol', [4, 0.4, undefined, undefined, 20]),
  openAiModel('gpt-5.6-terra', 'GPT-5.6 Terra', [2, 0.2, undefined, undefined, 12]),
  openAiModel('gpt-5.6-luna', 'GPT-5.6 Luna', [0.2, 0.02, undefined, undefined, 1.2]),
]

const opus: readonly Figures[] = [[5, 0.5, 6.25, 10, 25]]
const anthropic: BuiltInModel[] = [
  anthropicModel('claude-fable-5-1', 'Claude Fable 5.1', [[10, 0.25, 12.5, 20, 50]]),
  anthropicModel('claude-opus-5-5', 'Claude Opus 5.5', [[4, 0.2, 5, 8, 20]]),
  anthropicModel('claude-sonnet-5-5', 'Claude Sonnet 5.5', [[2, 0.1, 2.5, 4, 10]]),
  anthropicModel('claude-haiku-5-5', 'Claude Haiku 5.5', [
    [0.1, 0.01, 0.125, 0.2, 0.5],
    [0.5, 0.05, 0.625, 1, 2.5],
  ]),
  anthropicModel('claude-opus-5', 'Claude Opus 5', opus),
  anthropicModel('claude-sonnet-5', 'Claude Sonnet 5', [[2, 0.2, 2.5, 4, 10]]),
  anthropicModel('claude-opus-4-8', 'Claude Opus 4.8', opus),
  anthropicModel('claude-opus-4-7', 'Claude Opus 4.7', opus),
  anthropicModel('claude-opus-4-6', 'Claude Opus 4.6', opus),
  anthropicModel('claude-opus-4-5', 'Claude Opus 4.5', opus, 200_000, 64_000),
  anthropicModel('claude-haiku-4-5', 'Claude Haiku 4.5', [[1, 0.1, 1.25, 2, 5]], 200_000, 64_000),
]

const demo: BuiltInModel[] = [
  {
    ...everything,
    supportsImages: false,
    supportsStructuredOutput: false,
    id: 'scripted',
    providerId: 'demo',
    displayName: 'Scripted demo (no model, no network)',
    contextWindow: 128_000,
    maxOutput: 16_384,
    prices: free('USD'),
  },
]

export const builtInModels: readonly BuiltInModel[] = [...deepSeek, ...agnes, ...openAi, ...anthropic, ...demo]

/** Names that were switched off, and what to use instead. */
export const retiredModels: Readonly<Record<string, string>> = {
  'deepseek/deepseek-chat': 'deepseek-flash',
  'deepseek/deepseek-reasoner': 'deepseek-flash',
}

/** What is assumed of a model that is in no table: small enough to be safe, large enough to work. */
export type UnknownModelDefaults = Pick<MetonaModelInfo, 'contextWindow' | 'maxOutput'> & Partial<MetonaModelInfo>
export const unknownModelDefaults: Readonly<Record<string, UnknownModelDefaults>> = {
  deepseek: { contextWindow: 128_000, maxOutput: 32_768, supportsThinking: true, supportsStructuredOutput: true },
  agnes: { contextWindow: 256_000, maxOutput: 65_536, supportsThinking: true, supportsImages: true },
  /** Runs on the person's own machine, so it costs nothing (hosted models: `isHostedOllama`). Asked to think only after the server said it can. */
  ollama: {
    contextWindow: 32_768,
    maxOutput: 8_192,
    supportsThinking: true,
    supportsStructuredOutput: true,
    pricing: { inputPerMillion: 0, outputPerMillion: 0, currency: 'USD' },
  },
  openai: { contextWindow: 128_000, maxOutput: 16_384, supportsThinking: true, supportsImages: true, supportsStructuredOutput: true },
  anthropic: { contextWindow: 200_000, maxOutput: 32_000, supportsThinking: true, supportsImages: true },
  'openai-compatible': { contextWindow: 32_768, maxOutput: 8_192 },
}
export const unknownProviderDefault: UnknownModelDefaults = { contextWindow: 32_768, maxOutput: 8_192 }

/** Ollama runs models named so on its own servers, for money; what it costs is not published per token. */
export function isHostedOllama(model: string): boolean {
  return /[-:]cloud$/.test(model)
}

/** input, cache hit, cache write, long-lived cache write, output. */
type Figures = readonly [number, number, number | undefined, number | undefined, number]

function figures([input, hit, write, writeLong, output]: Figures): Omit<MetonaPricing, 'currency'> {
  return {
    inputPerMillion: input,
    outputPerMillion: output,
    cacheHitPerMillion: hit,
    ...(write === undefined ? {} : { cacheWritePerMillion: write }),
    ...(writeLong === undefined ? {} : { cacheWriteLongPerMillion: writeLong }),
  }
}

function deepSeekPrice(currency: string, base: readonly [number, number, number], peak: readonly [number, number, number]): MetonaPricing {
  const list = ([cacheHitPerMillion, inputPerMillion, outputPerMillion]: readonly [number, number, number]) => ({
    cacheHitPerMillion,
    inputPerMillion,
    outputPerMillion,
  })
  return { ...list(base), currency, peak: list(peak), peakHours: deepSeekPeakHours, asOf: TABLE_DATE }
}

function free(currency: string): MetonaPricing[] {
  return [{ inputPerMillion: 0, outputPerMillion: 0, currency, asOf: TABLE_DATE }]
}

function agnesPro(): MetonaPricing[] {
  return [{ inputPerMillion: 0.45, outputPerMillion: 0.9, cacheHitPerMillion: 0.0038, currency: 'USD', asOf: TABLE_DATE }]
}

function agnesModel(
  id: string,
  displayName: string,
  contextWindow: number,
  prices: MetonaPricing[] | undefined,
  traits: { supportsThinking?: boolean } = {},
  aliases: string[] = [],
): BuiltInModel {
  return { ...everything, ...traits, id, providerId: 'agnes', displayName, contextWindow, maxOutput: 65_536, prices: prices ?? [], aliases }
}

/** Above 272,000 prompt tokens the whole request costs twice the input and cache prices and 1.5 times the output price. */
function openAiModel(id: string, displayName: string, list: Figures): BuiltInModel {
  const [input, hit, write, writeLong, output] = list
  // Decimal figures: 1.2 times 1.5 is to be 1.8.
  const times = (value: number, factor: number): number => Number((value * factor).toPrecision(12))
  const doubled = (value: number | undefined): number | undefined => (value === undefined ? undefined : times(value, 2))
  const longPrompt = {
    aboveInputTokens: 272_000,
    ...figures([times(input, 2), times(hit, 2), doubled(write), doubled(writeLong), times(output, 1.5)]),
  }
  return {
    ...everything,
    id,
    providerId: 'openai',
    displayName,
    contextWindow: 1_050_000,
    maxOutput: 128_000,
    prices: [{ ...figures(list), currency: 'USD', longPrompt, asOf: TABLE_DATE }],
  }
}

/** A second price list holds above 100,000 prompt tokens. */
function anthropicModel(
  id: string,
  displayName: string,
  lists: readonly Figures[],
  contextWindow = 1_000_000,
  maxOutput = 128_000,
): BuiltInModel {
  const [base, long] = lists
  const pricing =
    base === undefined
      ? []
      : [
          {
            ...figures(base),
            currency: 'USD',
            ...(long === undefined ? {} : { longPrompt: { aboveInputTokens: 100_000, ...figures(long) } }),
            asOf: TABLE_DATE,
          },
        ]
  return { ...everything, id, providerId: 'anthropic', displayName, contextWindow, maxOutput, prices: pricing }
}

function days(first: string, count: number): string[] {
  const start = Date.parse(`${first}T00:00:00Z`)
  return Array.from({ length: count }, (_, index) => new Date(start + index * 86_400_000).toISOString().slice(0, 10))
}
