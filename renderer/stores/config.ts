/** Configuration as the host resolves it. A changed value shows at once and goes back when the host refuses it. */
import type { ConfigEntry } from '#contracts/workspace/config-keys.ts'
import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'
import { useConnectionStore } from './connection.ts'
import { toProblem, type Problem } from './to-problem.ts'

export const useConfigStore = defineStore('config', () => {
  const connection = useConnectionStore()
  const entries = shallowRef<readonly ConfigEntry[]>([])
  const loaded = ref(false)
  const problem = shallowRef<Problem>()
  /** By key: why the last change was refused. */
  const refusals = shallowRef<Readonly<Record<string, Problem>>>({})

  connection.onReady(load)

  async function load(): Promise<void> {
    try {
      entries.value = (await connection.call('config.list', {})).entries
      loaded.value = true
      problem.value = undefined
    } catch (error) {
      problem.value = toProblem(error)
    }
  }

  async function set(key: string, value: unknown): Promise<void> {
    const before = entries.value
    entries.value = before.map((entry) => (entry.key === key ? { ...entry, value, source: 'profile' } : entry))
    refused(key, undefined)
    try {
      const kept = await connection.call('config.set', { key, value })
      entries.value = entries.value.map((entry) => (entry.key === key ? kept : entry))
    } catch (error) {
      entries.value = entries.value.map((entry) => before.find((old) => old.key === key && entry.key === key) ?? entry)
      refused(key, toProblem(error))
    }
  }

  /** As the host answered to a change of another kind. */
  function took(entry: ConfigEntry): void {
    entries.value = entries.value.map((old) => (old.key === entry.key ? entry : old))
    refused(entry.key, undefined)
  }

  function refused(key: string, problem: Problem | undefined): void {
    const { [key]: _old, ...others } = refusals.value
    refusals.value = problem === undefined ? others : { ...others, [key]: problem }
  }

  const value = (key: string): unknown => entries.value.find((entry) => entry.key === key)?.value

  return { entries, loaded, problem, refusals, load, set, took, refused, value }
})
