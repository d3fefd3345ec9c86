import { expect, test } from 'vitest'
import { DEFAULT_RESTART_POLICY, restartBudget } from '#main/host/restart-budget.ts'

test('each death waits longer, then the budget is used up', () => {
  const budget = restartBudget({ delaysMs: [0, 10, 20], windowMs: 1_000 })
  expect([budget.take(0), budget.take(1), budget.take(2), budget.take(3)]).toEqual([0, 10, 20, undefined])
})

test('old deaths no longer count', () => {
  const budget = restartBudget({ delaysMs: [0, 10], windowMs: 1_000 })
  budget.take(0)
  budget.take(500)
  expect([budget.allows(999), budget.allows(1_000), budget.take(1_000)]).toEqual([false, true, 10])
})

test('the default budget has any worker back within 5 s', () => {
  expect(DEFAULT_RESTART_POLICY.delaysMs.reduce((sum, delay) => sum + delay, 0)).toBeLessThan(5_000)
})
