/** Models of every provider, demonstration first where no provider has a key. */
import type { Diagnosis } from '#contracts/llm/provider-descriptor.ts'
import type { MetonaModelInfo } from '#contracts/metona/metona-adapter.ts'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import { useConnectionStore } from './connection.ts'
import { useProvidersStore } from './providers.ts'
import { toProblem, type Problem } from './to-problem.ts'

export const DEMO_MODEL = 'demo/scripted'

export interface ModelGroup {
  readonly provider: string
  readonly name: string
  readonly models: readonly MetonaModelInfo[]
}

export const modelReference = (model: MetonaModelInfo): string => `${model.providerId}/${model.id}`

export const useModelsStore = defineStore('models', () => {
  const connection = useConnectionStore()
  const providers = useProvidersStore()
  const models = shallowRef<readonly MetonaModelInfo[]>([])
  const problems = shallowRef<readonly Diagnosis[]>([])
  const problem = shallowRef<Problem>()
  const loading = ref(false)
  const loaded = ref(false)

  /** `live` asks the providers themselves; without it the built-in tables answer at once. */
  async function load(live: boolean): Promise<void> {
    if (loading.value) return
    loading.value = true
    try {
      const answer = await connection.call('models.list', { live })
      models.value = answer.models
      problems.value = answer.problems
      problem.value = undefined
      loaded.value = true
    } catch (error) {
      problem.value = toProblem(error)
    } finally {
      loading.value = false
    }
  }

  const groups = computed<ModelGroup[]>(() => {
    const grouped = new Map<string, MetonaModelInfo[]>()
    for (const model of models.value) grouped.set(model.providerId, [...(grouped.get(model.providerId) ?? []), model])
    const order = (provider: string): number => (provider === 'demo' ? (providers.anyKey ? 2 : 0) : 1)
    return [...grouped]
      .map(([provider, members]) => ({ provider, name: providers.nameOf(provider), models: members }))
      .sort((left, right) => order(left.provider) - order(right.provider))
  })

  /** Those that were asked and could not say what they have; one without a key or that is not running was not. */
  const silent = computed(() => problems.value.filter(({ ok, code }) => !ok && code !== 'no_key' && code !== 'not_running'))

  const find = (reference: string): MetonaModelInfo | undefined => models.value.find((model) => modelReference(model) === reference)

  return { models, groups, silent, problem, loading, loaded, load, find }
})
