/** Folders the person trusts, as kept in the profile. */
import type { TrustEntry } from '#contracts/storage/profile-methods.ts'
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { useConnectionStore } from './connection.ts'
import { toProblem, type Problem } from './to-problem.ts'

export const useTrustStore = defineStore('trust', () => {
  const connection = useConnectionStore()
  const entries = shallowRef<readonly TrustEntry[]>()
  const problem = shallowRef<Problem>()

  connection.onReady(async () => {
    if (problem.value !== undefined) await load()
  })

  async function load(): Promise<void> {
    try {
      entries.value = (await connection.call('trust.list', {})).entries
      problem.value = undefined
    } catch (error) {
      problem.value = toProblem(error)
    }
  }

  async function revoke(path: string): Promise<void> {
    try {
      await connection.call('trust.remove', { path })
    } catch (error) {
      problem.value = toProblem(error)
      return
    }
    await load()
  }

  return { entries, problem, load, revoke }
})
