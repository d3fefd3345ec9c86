/** Sums of usage: pure, for the page. Money of different currencies is never added, and an unknown price never counts as nothing. */
import { addCost, type Cost } from '#contracts/session/cost.ts'
import type { UsageEntry } from '#contracts/storage/usage.ts'

export interface UsageSum {
  readonly requests: number
  readonly inputTokens: number
  readonly cacheHitTokens: number
  readonly cacheWriteTokens: number
  readonly outputTokens: number
  readonly reasoningTokens: number
  /** One per currency. */
  readonly costs: readonly Cost[]
  /** Requests whose price is not known. */
  readonly unpriced: number
}

export interface UsageLine extends UsageSum {
  readonly key: string
  readonly entries: readonly UsageEntry[]
}

const NOTHING: UsageSum = {
  requests: 0,
  inputTokens: 0,
  cacheHitTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  costs: [],
  unpriced: 0,
}

export function sumUsage(entries: readonly UsageEntry[]): UsageSum {
  return entries.reduce(
    (sum, entry) => ({
      requests: sum.requests + entry.requests,
      inputTokens: sum.inputTokens + entry.inputTokens,
      cacheHitTokens: sum.cacheHitTokens + entry.cacheHitTokens,
      cacheWriteTokens: sum.cacheWriteTokens + entry.cacheWriteTokens,
      outputTokens: sum.outputTokens + entry.outputTokens,
      reasoningTokens: sum.reasoningTokens + entry.reasoningTokens,
      costs: entry.cost === undefined ? sum.costs : addCost(sum.costs, entry.cost),
      unpriced: sum.unpriced + (entry.cost === undefined ? entry.requests : 0),
    }),
    NOTHING,
  )
}

/** One line per key, in the order in which the keys first come. */
export function usageBy(entries: readonly UsageEntry[], keyOf: (entry: UsageEntry) => string): UsageLine[] {
  return [...Map.groupBy(entries, keyOf)].map(([key, members]) => ({ key, entries: members, ...sumUsage(members) }))
}
