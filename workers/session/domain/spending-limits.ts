/** How much a turn and a session may use up, in tokens and in money. Looked at before every model request. */
import { addCost, type Cost } from '#contracts/session/cost.ts'
import type { AppErrorData } from '#contracts/wire/app-error.ts'

export interface SpendingLimits {
  /** Input and output together; absent means no limit. */
  readonly turnTokens?: number
  readonly sessionTokens?: number
  /** In the currency the provider bills; each currency for itself. A model without a known price is not counted. */
  readonly turnMoney?: number
  readonly sessionMoney?: number
}

export interface Spending {
  readonly tokens: number
  readonly costs: readonly Cost[]
}

/** `detail` of the turn's end, and the error that tells why. */
export type SpendingEnd = { readonly detail: string; readonly error: AppErrorData }

/** @param before what the session used up before this turn. */
export function spendingEnd(limits: SpendingLimits, before: Spending, turn: Spending): SpendingEnd | undefined {
  const whole: Spending = { tokens: before.tokens + turn.tokens, costs: turn.costs.reduce<readonly Cost[]>(addCost, before.costs) }
  if (reached(turn.tokens, limits.turnTokens)) return end('turn_tokens', `this turn used ${turn.tokens} tokens`)
  if (reached(whole.tokens, limits.sessionTokens)) return end('session_tokens', `this session used ${whole.tokens} tokens`)
  const [turnCost, wholeCost] = [dearest(turn), dearest(whole)]
  if (reached(turnCost?.total ?? 0, limits.turnMoney)) return end('turn_money', `this turn cost ${money(turnCost)}`)
  if (reached(wholeCost?.total ?? 0, limits.sessionMoney)) return end('session_money', `this session cost ${money(wholeCost)}`)
  return undefined
}

/** @param cost undefined where the price is not known. */
export function addSpending(spent: Spending, tokens: number, cost: Cost | undefined): Spending {
  return { tokens: spent.tokens + tokens, costs: cost === undefined ? spent.costs : addCost(spent.costs, cost) }
}

function reached(used: number, limit: number | undefined): boolean {
  return limit !== undefined && used >= limit
}

function dearest({ costs }: Spending): Cost | undefined {
  return costs.toSorted((left, right) => right.total - left.total)[0]
}

function money(cost: Cost | undefined): string {
  return cost === undefined ? 'nothing' : `${Number(cost.total.toFixed(4))} ${cost.currency}`
}

function end(detail: string, message: string): SpendingEnd {
  return { detail, error: { code: detail.toUpperCase(), message } }
}
