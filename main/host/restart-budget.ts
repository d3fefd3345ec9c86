/** How often and how soon a worker that died is started again. Pure: the clock is an argument. */

export interface RestartPolicy {
  /** Milliseconds before the first, second … restart inside one window; their number is the budget. */
  readonly delaysMs: readonly number[]
  /** A death older than this no longer counts. */
  readonly windowMs: number
}

/** The sum of the delays stays under the 5 s in which any worker must be back. */
export const DEFAULT_RESTART_POLICY: RestartPolicy = { delaysMs: [0, 100, 400, 1000, 2000], windowMs: 60_000 }

export interface RestartBudget {
  /** Notes a death at `nowMs`. @returns milliseconds to wait before the restart, or `undefined` when the budget is used up. */
  take(nowMs: number): number | undefined
  /** Whether a restart would be allowed at `nowMs`; notes nothing. */
  allows(nowMs: number): boolean
}

export function restartBudget(policy: RestartPolicy): RestartBudget {
  let deaths: number[] = []
  const recent = (nowMs: number): number[] => deaths.filter((at) => nowMs - at < policy.windowMs)
  return {
    take: (nowMs) => {
      deaths = [...recent(nowMs), nowMs]
      return policy.delaysMs[deaths.length - 1]
    },
    allows: (nowMs) => recent(nowMs).length < policy.delaysMs.length,
  }
}
