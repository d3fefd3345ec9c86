/** What the person allowed for good, as kept in the profile. */
import type { Grant } from '#contracts/session/grant-commands.ts'
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { useConnectionStore } from './connection.ts'
import { toProblem, type Problem } from './to-problem.ts'

export const useGrantsStore = defineStore('grants', () => {
  const connection = useConnectionStore()
  const grants = shallowRef<readonly Grant[]>()
  const problem = shallowRef<Problem>()

  async function load(): Promise<void> {
    try {
      grants.value = (await connection.call('grants.list', {})).grants
      problem.value = undefined
    } catch (error) {
      problem.value = toProblem(error)
    }
  }

  async function remove(id: number): Promise<void> {
    try {
      await connection.call('grants.remove', { id })
    } catch (error) {
      problem.value = toProblem(error)
      return
    }
    await load()
  }

  return { grants, problem, load, remove }
})
