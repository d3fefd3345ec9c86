/** Money for one or more requests, by bucket. */
import * as z from 'zod'

/** Amounts in whole units of `currency`. A bucket that is not charged is 0; an unknown price means no Cost at all. */
export const CostSchema = z.object({
  currency: z.string(),
  cacheHit: z.number(),
  cacheMiss: z.number(),
  cacheWrite: z.number(),
  output: z.number(),
  total: z.number(),
})
export type Cost = z.infer<typeof CostSchema>

/** Adds a cost to a list with one entry per currency. */
export function addCost(costs: readonly Cost[], cost: Cost): Cost[] {
  const sum = costs.find((entry) => entry.currency === cost.currency)
  if (sum === undefined) return [...costs, cost]
  const added: Cost = {
    currency: cost.currency,
    cacheHit: sum.cacheHit + cost.cacheHit,
    cacheMiss: sum.cacheMiss + cost.cacheMiss,
    cacheWrite: sum.cacheWrite + cost.cacheWrite,
    output: sum.output + cost.output,
    total: sum.total + cost.total,
  }
  return costs.map((entry) => (entry === sum ? added : entry))
}
