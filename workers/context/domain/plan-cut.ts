/** Where a history is cut: what is before is summarised, what is behind is sent as it is. */
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'

const MOST_KEPT_TOKENS = 20_000

export function keptTokens(budget: number): number {
  return Math.min(MOST_KEPT_TOKENS, Math.floor(budget / 4))
}

/**
 * Walks back while the kept part fits, never to a tool result, rather to a user message than into an answer.
 * @param from the earliest place that may be cut at (exclusive); @returns undefined when nothing is before the cut.
 */
export function planCut(
  history: readonly MetonaMessage[],
  from: number,
  keep: number,
  tokensOf: (message: MetonaMessage) => number,
): number | undefined {
  let tokens = 0
  let cut: number | undefined
  let atUser: number | undefined
  for (let index = history.length - 1; index > from; index--) {
    const message = history[index]
    if (message === undefined) continue
    tokens += tokensOf(message)
    // The newest group is kept whatever its size.
    if (tokens > keep && cut !== undefined) break
    if (message.role === 'tool') continue
    cut = index
    if (message.role === 'user' && tokens >= keep / 4) atUser = index
  }
  return atUser ?? cut
}
