/** The person's own figures for models: window and prices, kept in `models.json` of the profile. */
import type { ModelOverride } from '#contracts/llm/model-overrides.ts'
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { useConnectionStore } from './connection.ts'
import { useModelsStore } from './models.ts'
import { toProblem, type Problem } from './to-problem.ts'

export const useModelOverridesStore = defineStore('model-overrides', () => {
  const connection = useConnectionStore()
  const models = useModelsStore()
  const overrides = shallowRef<Readonly<Record<string, ModelOverride>>>({})
  const problem = shallowRef<Problem>()

  async function load(): Promise<void> {
    // Models are shown as well where the corrections cannot be read.
    const loadingModels = models.load(false)
    try {
      overrides.value = (await connection.call('models.overrides', {})).overrides
      problem.value = undefined
    } catch (error) {
      problem.value = toProblem(error)
    }
    await loadingModels
  }

  /** `null` goes back to the built-in figures. Answers why it could not be kept. */
  async function set(model: string, override: ModelOverride | null): Promise<Problem | undefined> {
    try {
      await connection.call('models.setOverride', { model, override })
    } catch (error) {
      return toProblem(error)
    }
    await load()
    return undefined
  }

  return { overrides, problem, load, set }
})
