/** What was said in any session of the open folders. The answer to an older question is never shown under a newer one. */
import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'
import type { MethodOutput } from '#renderer/ipc/host-client.ts'
import { useConnectionStore } from './connection.ts'
import { toProblem, type Problem } from './to-problem.ts'

export type SearchHit = MethodOutput<'session.search'>['hits'][number]

const LIMIT = 30
/** Milliseconds of quiet before a question is asked. */
const PAUSE_MS = 120

export const useSearchStore = defineStore('search', () => {
  const connection = useConnectionStore()
  const hits = shallowRef<readonly SearchHit[]>([])
  const problem = shallowRef<Problem>()
  const running = ref(false)
  let timer: ReturnType<typeof setTimeout> | undefined
  let asked = 0

  function search(query: string): void {
    clearTimeout(timer)
    asked += 1
    if (query === '') return clear()
    running.value = true
    timer = setTimeout(() => void ask(query, asked), PAUSE_MS)
  }

  async function ask(query: string, number: number): Promise<void> {
    try {
      const answer = await connection.call('session.search', { query, limit: LIMIT })
      if (number !== asked) return
      hits.value = answer.hits
      problem.value = undefined
    } catch (error) {
      if (number !== asked) return
      hits.value = []
      problem.value = toProblem(error)
    }
    running.value = false
  }

  function clear(): void {
    hits.value = []
    problem.value = undefined
    running.value = false
  }

  return { hits, problem, running, search }
})
