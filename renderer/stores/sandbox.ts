/** What holds commands back on this machine; asked for once a session is open, for the answer starts the tools. */
import type { SandboxState } from '#contracts/tools/sandbox-state.ts'
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { useConnectionStore } from './connection.ts'
import { toProblem, type Problem } from './to-problem.ts'

export const useSandboxStore = defineStore('sandbox', () => {
  const connection = useConnectionStore()
  const state = shallowRef<SandboxState>()
  const problem = shallowRef<Problem>()
  let asked = false

  async function load(): Promise<void> {
    if (asked) return
    asked = true
    try {
      state.value = await connection.call('sandbox.read', {})
      problem.value = undefined
    } catch (error) {
      asked = false
      problem.value = toProblem(error)
    }
  }

  return { state, problem, load }
})
