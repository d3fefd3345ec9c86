/** Providers, whether they have a key, and what their last check said. Keys only pass through; none is kept here. */
import type { Diagnosis, ProviderDescriptor } from '#contracts/llm/provider-descriptor.ts'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import { useConnectionStore } from './connection.ts'
import { toProblem, type Problem } from './to-problem.ts'

export interface ProviderCheck {
  readonly running: boolean
  readonly diagnosis?: Diagnosis
  /** The check itself could not be made. */
  readonly problem?: Problem
  readonly finishedAt?: number
  readonly durationMs?: number
}

export const useProvidersStore = defineStore('providers', () => {
  const connection = useConnectionStore()
  const providers = shallowRef<readonly ProviderDescriptor[]>([])
  const problem = shallowRef<Problem>()
  const loaded = ref(false)
  const checks = shallowRef<Readonly<Record<string, ProviderCheck>>>({})

  connection.onReady(load)

  async function load(): Promise<void> {
    try {
      providers.value = (await connection.call('providers.list', {})).providers
      problem.value = undefined
      loaded.value = true
    } catch (error) {
      problem.value = toProblem(error)
    }
  }

  /** Asks the provider itself. With `apiKey` the key is tried without being kept. */
  async function check(provider: string, typed: { apiKey?: string; baseUrl?: string } = {}): Promise<Diagnosis | undefined> {
    const startedAt = Date.now()
    put(provider, { running: true })
    try {
      const diagnosis = await connection.call('providers.diagnose', { provider, ...typed })
      put(provider, { running: false, diagnosis, finishedAt: Date.now(), durationMs: Date.now() - startedAt })
      return diagnosis
    } catch (error) {
      put(provider, { running: false, problem: toProblem(error), finishedAt: Date.now() })
      return undefined
    }
  }

  /** Hands the key to the shell's secret store (or to this run, where there is none); `null` removes it. */
  async function setKey(provider: string, apiKey: string | null, baseUrl?: string): Promise<'secret_store' | 'this_run' | Problem> {
    try {
      const { stored } = await connection.call('providers.setKey', { provider, apiKey, ...(baseUrl === undefined ? {} : { baseUrl }) })
      await load()
      return stored
    } catch (error) {
      return toProblem(error)
    }
  }

  /** `null` goes back to the provider's own address. Answers why it could not be kept. */
  async function setBaseUrl(provider: string, baseUrl: string | null): Promise<Problem | undefined> {
    try {
      await connection.call('providers.setBaseUrl', { provider, baseUrl })
      await load()
      return undefined
    } catch (error) {
      return toProblem(error)
    }
  }

  function put(provider: string, check: ProviderCheck): void {
    checks.value = { ...checks.value, [provider]: check }
  }

  const byId = (id: string): ProviderDescriptor | undefined => providers.value.find((provider) => provider.id === id)
  const nameOf = (id: string): string => byId(id)?.displayName ?? id
  /** A provider other than the demonstration can be used. */
  const anyKey = computed(() => providers.value.some((provider) => provider.keyRequired && provider.hasKey))

  /** Their key was kept for an earlier run only. */
  const lost = computed(() => providers.value.filter((provider) => provider.keyLost))
  const lacksKey = (id: string): boolean =>
    providers.value.some((provider) => provider.id === id && provider.keyRequired && !provider.hasKey)

  return { providers, problem, loaded, checks, anyKey, lost, lacksKey, byId, nameOf, load, check, setKey, setBaseUrl }
})
