/** The one batch of old tool results per compaction cycle that is replaced by placeholders. */
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import { isPrunable } from './shrink-message.ts'

const NEWEST_KEPT_TOKENS = 40_000
const KEPT_TURNS = 2
/** A batch is worth the lost cache when it frees this share of the budget. */
const LEAST_SHARE = 0.2

export interface PrunePlan {
  /** Results before this place are pruned. */
  readonly prunedBefore: number
  readonly saved: number
}

/**
 * @param from the first place that is sent as it is; @param tokensOf tokens of a message as sent now;
 * @returns undefined when too little would be saved.
 */
export function planPrune(
  history: readonly MetonaMessage[],
  from: number,
  budget: number,
  tokensOf: (message: MetonaMessage) => number,
): PrunePlan | undefined {
  const protectedTokens = Math.min(NEWEST_KEPT_TOKENS, budget * 0.25)
  let turns = 0
  let newest = 0
  let saved = 0
  let prunedBefore = from
  for (let index = history.length - 1; index >= from; index--) {
    const message = history[index]
    if (message === undefined) continue
    if (message.role === 'user') turns++
    if (!isPrunable(message)) continue
    const tokens = tokensOf(message)
    if (turns < KEPT_TURNS || newest + tokens <= protectedTokens) {
      newest += tokens
      continue
    }
    newest = Infinity
    if (saved === 0) prunedBefore = index + 1
    saved += tokens
  }
  return saved >= budget * LEAST_SHARE ? { prunedBefore, saved } : undefined
}
