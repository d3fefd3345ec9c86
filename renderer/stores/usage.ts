/** What was used and what it cost, for one stretch of days. Sums are made where they are shown. */
import type { UsageEntry } from '#contracts/storage/usage.ts'
import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'
import { useConnectionStore } from './connection.ts'
import { toProblem, type Problem } from './to-problem.ts'

export type UsageSpan = 'today' | 'days14' | 'days90' | 'all'

export const useUsageStore = defineStore('usage', () => {
  const connection = useConnectionStore()
  const entries = shallowRef<readonly UsageEntry[]>()
  const problem = shallowRef<Problem>()
  const loading = ref(false)
  let asked = 0

  async function load(span: UsageSpan, now = new Date()): Promise<void> {
    const mine = ++asked
    loading.value = true
    const from = firstInstant(span, now)
    try {
      const answer = await connection.call('usage.read', {
        offsetMinutes: -now.getTimezoneOffset(),
        ...(from === undefined ? {} : { from: from.toISOString() }),
      })
      if (mine !== asked) return
      entries.value = answer.entries
      problem.value = undefined
    } catch (error) {
      if (mine === asked) problem.value = toProblem(error)
    } finally {
      if (mine === asked) loading.value = false
    }
  }

  return { entries, problem, loading, load }
})

/** Midnight where the person is, so many days ago. */
function firstInstant(span: UsageSpan, now: Date): Date | undefined {
  if (span === 'all') return undefined
  const days = { today: 0, days14: 13, days90: 89 }[span]
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - days)
}
