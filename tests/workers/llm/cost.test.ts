import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { MetonaUsage } from '#contracts/metona/metona-response.ts'
import type { Cost } from '#contracts/session/cost.ts'
import { costOf, isPeak, promptBuckets } from '#workers/llm/domain/cost.ts'
import { createModelTable } from '#workers/llm/domain/model-table.ts'
import { noOverrides } from '#workers/llm/domain/model-table-overrides.ts'

/** Monday 2026-11-30, 12:00 UTC: no peak anywhere. */
const OFF_PEAK = Date.UTC(2026, 10, 30, 12)
/** Monday 2026-11-30, 02:00 UTC = 10:00 in Beijing. */
const PEAK = Date.UTC(2026, 10, 30, 2)

function usage(inputTokens: number, outputTokens: number, parts: Partial<MetonaUsage> = {}): MetonaUsage {
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, ...parts }
}

function bill(provider: string, model: string, used: MetonaUsage, at: number, currency?: string): Cost | undefined {
  const table = createModelTable(currency === undefined ? noOverrides : { currency: { [provider]: currency }, models: {} })
  return costOf(used, table.describe(provider, model).model, at)
}

/** Money is compared to a billionth of a cent: binary fractions are not decimal ones. */
function expectBill(actual: Cost | undefined, expected: Cost): void {
  expect(actual?.currency).toBe(expected.currency)
  for (const bucket of ['cacheHit', 'cacheMiss', 'cacheWrite', 'output', 'total'] as const)
    expect(actual?.[bucket], bucket).toBeCloseTo(expected[bucket], 11)
}

describe('bills worked out by hand', () => {
  test('1. DeepSeek Flash, US dollars, off-peak', () => {
    // 320 hit x 0.003 = 0.96; 19 miss x 0.15 = 2.85; 83 out x 0.60 = 49.8; sum 53.61, all per million.
    expectBill(
      bill('deepseek', 'deepseek-flash', usage(339, 83, { cacheHitTokens: 320, cacheMissTokens: 19, reasoningTokens: 39 }), OFF_PEAK),
      { currency: 'USD', cacheHit: 0.00000096, cacheMiss: 0.00000285, cacheWrite: 0, output: 0.0000498, total: 0.00005361 },
    )
  })

  test('2. DeepSeek Flash, US dollars, the same request in the peak', () => {
    // 320 x 0.006 = 1.92; 19 x 0.30 = 5.7; 83 x 1.20 = 99.6; sum 107.22.
    expectBill(bill('deepseek', 'deepseek-flash', usage(339, 83, { cacheHitTokens: 320, cacheMissTokens: 19 }), PEAK), {
      currency: 'USD',
      cacheHit: 0.00000192,
      cacheMiss: 0.0000057,
      cacheWrite: 0,
      output: 0.0000996,
      total: 0.00010722,
    })
  })

  test('3. DeepSeek Flash, yuan, off-peak, under a retired name', () => {
    // 320 x 0.02 = 6.4; 19 x 1 = 19; 83 x 4 = 332; sum 357.4.
    expectBill(bill('deepseek', 'deepseek-v4-flash', usage(339, 83, { cacheHitTokens: 320, cacheMissTokens: 19 }), OFF_PEAK, 'CNY'), {
      currency: 'CNY',
      cacheHit: 0.0000064,
      cacheMiss: 0.000019,
      cacheWrite: 0,
      output: 0.000332,
      total: 0.0003574,
    })
  })

  test('4. DeepSeek Pro, US dollars, Saturday in what would be the peak', () => {
    // 0.4 M x 0.022 = 0.0088; 0.6 M x 0.66 = 0.396; 0.05 M x 1.98 = 0.099; sum 0.5038.
    expectBill(
      bill(
        'deepseek',
        'deepseek-v4-pro',
        usage(1_000_000, 50_000, { cacheHitTokens: 400_000, cacheMissTokens: 600_000 }),
        Date.UTC(2026, 10, 28, 2),
      ),
      { currency: 'USD', cacheHit: 0.0088, cacheMiss: 0.396, cacheWrite: 0, output: 0.099, total: 0.5038 },
    )
  })

  test('5. DeepSeek Pro, yuan, peak', () => {
    // 0.4 M x 0.30 = 0.12; 0.6 M x 9 = 5.4; 0.05 M x 27 = 1.35; sum 6.87.
    expectBill(
      bill('deepseek', 'deepseek-v4-pro', usage(1_000_000, 50_000, { cacheHitTokens: 400_000, cacheMissTokens: 600_000 }), PEAK, 'CNY'),
      { currency: 'CNY', cacheHit: 0.12, cacheMiss: 5.4, cacheWrite: 0, output: 1.35, total: 6.87 },
    )
  })

  test('6. DeepSeek Pro on a Chinese public holiday (Thursday 2026-10-01)', () => {
    // 1000 x 0.66 = 660; 1000 x 1.98 = 1980; sum 2640, per million.
    expectBill(bill('deepseek', 'deepseek-v4-pro', usage(1000, 1000), Date.UTC(2026, 9, 1, 2)), {
      currency: 'USD',
      cacheHit: 0,
      cacheMiss: 0.00066,
      cacheWrite: 0,
      output: 0.00198,
      total: 0.00264,
    })
  })

  test('7. Agnes 2.5 Pro', () => {
    // 60,000 x 0.0038 = 228; 40,000 x 0.45 = 18,000; 2,000 x 0.90 = 1,800; sum 20,028 per million.
    expectBill(bill('agnes', 'agnes-2.5-pro', usage(100_000, 2_000, { cacheHitTokens: 60_000 }), OFF_PEAK), {
      currency: 'USD',
      cacheHit: 0.000228,
      cacheMiss: 0.018,
      cacheWrite: 0,
      output: 0.0018,
      total: 0.020028,
    })
  })

  test('8. A free model costs 0, which is not the same as an unknown price', () => {
    expectBill(bill('agnes', 'agnes-2.5-flash', usage(100_000, 2_000), OFF_PEAK), {
      currency: 'USD',
      cacheHit: 0,
      cacheMiss: 0,
      cacheWrite: 0,
      output: 0,
      total: 0,
    })
    expect(bill('agnes', 'agnes-3.0-qwen', usage(100_000, 2_000), OFF_PEAK)).toBeUndefined()
    expect(bill('openai', 'gpt-9-unheard-of', usage(100_000, 2_000), OFF_PEAK)).toBeUndefined()
  })

  test('9. OpenAI gpt-6-sol: cached and written tokens are inside the input count', () => {
    // 6,000 x 0.20 = 1,200; 2,000 written x 2.50 = 5,000; 10,000 - 6,000 - 2,000 = 2,000 x 2 = 4,000; 1,500 x 10 = 15,000; sum 25,200 per million.
    expectBill(
      bill(
        'openai',
        'gpt-6-sol',
        usage(10_000, 1_500, { cacheHitTokens: 6_000, cacheWriteTokens: 2_000, reasoningTokens: 1_000 }),
        OFF_PEAK,
      ),
      { currency: 'USD', cacheHit: 0.0012, cacheMiss: 0.004, cacheWrite: 0.005, output: 0.015, total: 0.0252 },
    )
  })

  test('10. OpenAI: exactly 272,000 prompt tokens cost the ordinary price', () => {
    // 72,000 x 2 = 144,000; 200,000 x 0.20 = 40,000; 10,000 x 10 = 100,000; sum 284,000 per million.
    expectBill(bill('openai', 'gpt-6-sol', usage(272_000, 10_000, { cacheHitTokens: 200_000 }), OFF_PEAK), {
      currency: 'USD',
      cacheHit: 0.04,
      cacheMiss: 0.144,
      cacheWrite: 0,
      output: 0.1,
      total: 0.284,
    })
  })

  test('11. OpenAI: above 272,000 the whole request costs twice the input and 1.5 times the output', () => {
    // 200,000 x 0.40 = 80,000; 10,000 written x 5 = 50,000; 90,000 x 4 = 360,000; 10,000 x 15 = 150,000; sum 640,000 per million.
    expectBill(bill('openai', 'gpt-6-sol', usage(300_000, 10_000, { cacheHitTokens: 200_000, cacheWriteTokens: 10_000 }), OFF_PEAK), {
      currency: 'USD',
      cacheHit: 0.08,
      cacheMiss: 0.36,
      cacheWrite: 0.05,
      output: 0.15,
      total: 0.64,
    })
  })

  test('12. OpenAI gpt-5.6-sol has no write price: written tokens are ordinary input', () => {
    // 3,000 x 0.40 = 1,200; (1,000 miss + 1,000 written) x 4 = 8,000; 100 x 20 = 2,000; sum 11,200 per million.
    expectBill(bill('openai', 'gpt-5.6-sol', usage(5_000, 100, { cacheHitTokens: 3_000, cacheWriteTokens: 1_000 }), OFF_PEAK), {
      currency: 'USD',
      cacheHit: 0.0012,
      cacheMiss: 0.008,
      cacheWrite: 0,
      output: 0.002,
      total: 0.0112,
    })
  })

  test('13. OpenAI gpt-6.1-terra keeps a cache for 30 minutes or 12 hours', () => {
    // 1,000 x 1.25 = 1,250; 2,000 x 2.50 = 5,000; 500 x 1 = 500; 200 x 5 = 1,000; sum 7,750 per million.
    expectBill(bill('openai', 'gpt-6.1-terra', usage(3_500, 200, { cacheWriteTokens: 3_000, cacheWriteLongTokens: 2_000 }), OFF_PEAK), {
      currency: 'USD',
      cacheHit: 0,
      cacheMiss: 0.0005,
      cacheWrite: 0.00625,
      output: 0.001,
      total: 0.00775,
    })
  })

  test('14. Anthropic Opus 5.5: 50 + 2,000 written + 18,000 read', () => {
    // 50 x 4 = 200; 2,000 x 5 = 10,000; 18,000 x 0.20 = 3,600; 800 x 20 = 16,000; sum 29,800 per million.
    expectBill(
      bill(
        'anthropic',
        'claude-opus-5-5',
        usage(20_050, 800, { cacheHitTokens: 18_000, cacheMissTokens: 50, cacheWriteTokens: 2_000 }),
        OFF_PEAK,
      ),
      { currency: 'USD', cacheHit: 0.0036, cacheMiss: 0.0002, cacheWrite: 0.01, output: 0.016, total: 0.0298 },
    )
  })

  test('15. Anthropic Sonnet 5.5: 2,000 written for 5 minutes and 1,000 for an hour', () => {
    // 100 x 2 = 200; 2,000 x 2.50 = 5,000; 1,000 x 4 = 4,000; 10 x 10 = 100; sum 9,300 per million.
    expectBill(
      bill(
        'anthropic',
        'claude-sonnet-5-5',
        usage(3_100, 10, { cacheMissTokens: 100, cacheWriteTokens: 3_000, cacheWriteLongTokens: 1_000 }),
        OFF_PEAK,
      ),
      { currency: 'USD', cacheHit: 0, cacheMiss: 0.0002, cacheWrite: 0.009, output: 0.0001, total: 0.0093 },
    )
  })

  test('16. Anthropic Haiku 5.5 below and above 100,000 prompt tokens', () => {
    // 80,000 x 0.01 = 800; 20,000 x 0.10 = 2,000; 1,000 x 0.50 = 500; sum 3,300 per million.
    expectBill(bill('anthropic', 'claude-haiku-5-5', usage(100_000, 1_000, { cacheHitTokens: 80_000 }), OFF_PEAK), {
      currency: 'USD',
      cacheHit: 0.0008,
      cacheMiss: 0.002,
      cacheWrite: 0,
      output: 0.0005,
      total: 0.0033,
    })
    // 100,000 x 0.05 = 5,000; 20,000 x 0.50 = 10,000; 1,000 x 2.50 = 2,500; sum 17,500 per million.
    expectBill(bill('anthropic', 'claude-haiku-5-5', usage(120_000, 1_000, { cacheHitTokens: 100_000 }), OFF_PEAK), {
      currency: 'USD',
      cacheHit: 0.005,
      cacheMiss: 0.01,
      cacheWrite: 0,
      output: 0.0025,
      total: 0.0175,
    })
  })

  test('17. Anthropic Haiku 4.5 under its dated name', () => {
    // 1,000 x 1 = 1,000; 1,000 x 5 = 5,000; sum 6,000 per million.
    expectBill(bill('anthropic', 'claude-haiku-4-5-20251001', usage(1_000, 1_000), OFF_PEAK), {
      currency: 'USD',
      cacheHit: 0,
      cacheMiss: 0.001,
      cacheWrite: 0,
      output: 0.005,
      total: 0.006,
    })
  })

  test('18. A local Ollama model is free, a hosted one has no known price', () => {
    expectBill(bill('ollama', 'qwen3:14b', usage(1_000, 1_000), OFF_PEAK), {
      currency: 'USD',
      cacheHit: 0,
      cacheMiss: 0,
      cacheWrite: 0,
      output: 0,
      total: 0,
    })
    expect(bill('ollama', 'gpt-oss:120b-cloud', usage(1_000, 1_000), OFF_PEAK)).toBeUndefined()
  })
})

describe('DeepSeek peak hours', () => {
  const pricing = createModelTable().describe('deepseek', 'deepseek-flash').model.pricing
  const hours = pricing?.peakHours
  test.each([
    ['Monday 00:59:59.999', Date.UTC(2026, 10, 30, 0, 59, 59, 999), false],
    ['Monday 01:00', Date.UTC(2026, 10, 30, 1), true],
    ['Monday 03:59:59.999', Date.UTC(2026, 10, 30, 3, 59, 59, 999), true],
    ['Monday 04:00', Date.UTC(2026, 10, 30, 4), false],
    ['Monday 05:59:59.999', Date.UTC(2026, 10, 30, 5, 59, 59, 999), false],
    ['Monday 06:00', Date.UTC(2026, 10, 30, 6), true],
    ['Monday 09:59:59.999', Date.UTC(2026, 10, 30, 9, 59, 59, 999), true],
    ['Monday 10:00', Date.UTC(2026, 10, 30, 10), false],
    ['Friday 09:00', Date.UTC(2026, 11, 4, 9), true],
    ['Saturday 09:00', Date.UTC(2026, 11, 5, 9), false],
    ['Sunday 02:00', Date.UTC(2026, 11, 6, 2), false],
    ['Spring Festival, Tuesday 2026-02-17', Date.UTC(2026, 1, 17, 2), false],
    ['Tuesday after it, 2026-02-24', Date.UTC(2026, 1, 24, 2), true],
    ['Eve of the Spring Festival, Friday 2027-02-05', Date.UTC(2027, 1, 5, 2), false],
  ])('%s UTC', (_name, at, expected) => {
    expect(hours === undefined ? undefined : isPeak(hours, at)).toBe(expected)
  })

  test('the lunar holidays of the table fall on their days in the Chinese calendar', () => {
    const lunar = new Intl.DateTimeFormat('en-u-ca-chinese', { month: 'numeric', day: 'numeric', timeZone: 'UTC' })
    const onLunarDay = (day: string): string => lunar.format(Date.parse(`${day}T00:00:00Z`))
    // 2027-02-06 is left out: that new moon is at 23:56 in Beijing, and ICU's approximation puts it on the next day.
    expect(['2026-02-17'].map(onLunarDay), 'Spring Festival').toEqual(['1/1'])
    expect(['2026-06-19', '2027-06-09'].map(onLunarDay), 'Dragon Boat').toEqual(['5/5', '5/5'])
    expect(['2026-09-25', '2027-09-15'].map(onLunarDay), 'Mid-Autumn').toEqual(['8/15', '8/15'])
    expect(
      ['2026-02-17', '2027-02-06', '2026-06-19', '2027-06-09', '2026-09-25', '2027-09-15'].filter(
        (day) => !hours?.exceptDays?.includes(day),
      ),
    ).toEqual([])
  })
})

describe('buckets', () => {
  test('every prompt token is in exactly one bucket, whatever a provider reports', () => {
    const count = fc.integer({ min: -5, max: 2_000_000 })
    fc.assert(
      fc.property(count, count, count, count, (inputTokens, cacheHitTokens, cacheWriteTokens, cacheWriteLongTokens) => {
        const buckets = promptBuckets(usage(inputTokens, 0, { cacheHitTokens, cacheWriteTokens, cacheWriteLongTokens }))
        expect(buckets.hit + buckets.miss + buckets.write).toBe(Math.max(0, inputTokens))
        expect(
          [buckets.hit, buckets.miss, buckets.write, buckets.writeLong, buckets.write - buckets.writeLong].every((tokens) => tokens >= 0),
        ).toBe(true)
      }),
      { seed: 5 },
    )
  })

  test('the total is the sum of the buckets', () => {
    const cost = bill('anthropic', 'claude-opus-5-5', usage(20_050, 800, { cacheHitTokens: 18_000, cacheWriteTokens: 2_000 }), OFF_PEAK)
    expect(cost?.total).toBe((cost?.cacheHit ?? 0) + (cost?.cacheMiss ?? 0) + (cost?.cacheWrite ?? 0) + (cost?.output ?? 0))
  })

  test('control: charging the whole prompt besides its cached part gives another bill', () => {
    const used = usage(10_000, 1_500, { cacheHitTokens: 6_000, cacheWriteTokens: 2_000 })
    const doubled = (10_000 * 2 + 6_000 * 0.2 + 2_000 * 2.5 + 1_500 * 10) / 1_000_000
    expect(Math.abs((bill('openai', 'gpt-6-sol', used, OFF_PEAK)?.total ?? 0) - doubled)).toBeGreaterThan(0.01)
  })

  test('a hit without a price of its own is billed as ordinary input', () => {
    // 1,000 x 2 = 2,000 per million, nothing in the hit bucket.
    expectBill(
      costOf(usage(1_000, 0, { cacheHitTokens: 400 }), { pricing: { inputPerMillion: 2, outputPerMillion: 8, currency: 'USD' } }, OFF_PEAK),
      { currency: 'USD', cacheHit: 0, cacheMiss: 0.002, cacheWrite: 0, output: 0, total: 0.002 },
    )
  })
})
