/** How the pipeline fares, asked every two seconds while a page shows it and the person can see that page. */
import type { PipelineHealth } from '#contracts/health/pipeline-health.ts'
import type { ThreadHealth } from '#contracts/health/thread-health.ts'
import { defineStore } from 'pinia'
import { computed, onScopeDispose, shallowRef } from 'vue'
import { useConnectionStore } from './connection.ts'
import { toProblem, type Problem } from './to-problem.ts'

const INTERVAL_MS = 2_000

export interface PipelineThread extends ThreadHealth {
  /** Share of a core used since the reading before; since the thread's start in the first one. */
  readonly busy: number
}

export const usePipelineStore = defineStore('pipeline', () => {
  const connection = useConnectionStore()
  const health = shallowRef<PipelineHealth>()
  const before = shallowRef<PipelineHealth>()
  const problem = shallowRef<Problem>()

  async function load(): Promise<void> {
    try {
      const next = await connection.call('health.pipeline', {})
      before.value = health.value
      health.value = next
      problem.value = undefined
    } catch (error) {
      problem.value = toProblem(error)
    }
  }

  /** Keeps reading as long as the calling component lives. */
  function watchHealth(): void {
    void load()
    const timer = setInterval(() => {
      if (connection.visible && connection.isOpen) void load()
    }, INTERVAL_MS)
    onScopeDispose(() => clearInterval(timer))
  }

  const threads = computed<PipelineThread[]>(() =>
    (health.value?.threads ?? []).map((thread) => {
      const earlier = before.value?.threads.find((other) => other.threadId === thread.threadId)
      const [cpuMs, upMs] = [thread.cpuMs - (earlier?.cpuMs ?? 0), thread.upMs - (earlier?.upMs ?? 0)]
      return { ...thread, busy: upMs > 0 ? cpuMs / upMs : 0 }
    }),
  )

  return { health, threads, problem, load, watchHealth }
})
