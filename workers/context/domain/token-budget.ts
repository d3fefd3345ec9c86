/** How many tokens a request may use. */

/** Below this no model is worth sending an agent's request to; also what a model without a known window gets. */
const UNKNOWN_WINDOW = 32_768
const DEFAULT_BUDGET = 200_000
const LARGEST_OUTPUT_RESERVE = 32_768

export interface ModelLimits {
  readonly contextWindow: number
  readonly maxOutput: number
}

export interface TokenBudget {
  /** The model's whole window. */
  readonly window: number
  /** The most input the provider can be expected to take: window less room for the answer and a margin. */
  readonly inputLimit: number
  /** What the triggers use: `inputLimit` or the person's ceiling, whichever is smaller. */
  readonly budget: number
}

/** @param ceiling the person's own limit in tokens; absent means 200,000. */
export function computeBudget(model: ModelLimits, ceiling?: number): TokenBudget {
  const window = model.contextWindow > 0 ? Math.floor(model.contextWindow) : UNKNOWN_WINDOW
  // A small local window is not given away to the answer: a quarter of it at most.
  const answer = Math.min(Math.max(0, model.maxOutput), LARGEST_OUTPUT_RESERVE, Math.floor(window / 4))
  const margin = Math.max(Math.min(2048, Math.ceil(window / 20)), Math.ceil(window / 100))
  const inputLimit = Math.max(1, window - answer - margin)
  return { window, inputLimit, budget: Math.max(1, Math.min(inputLimit, ceiling ?? DEFAULT_BUDGET)) }
}
