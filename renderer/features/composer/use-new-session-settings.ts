/** Model and mode of a session that does not exist yet: what the person picked, else what is configured, else what can answer. */
import type { PermissionMode } from '#contracts/session/session-enums.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { useConfigStore } from '#renderer/stores/config.ts'
import { DEMO_MODEL } from '#renderer/stores/models.ts'
import { useProvidersStore } from '#renderer/stores/providers.ts'
import type { Problem } from '#renderer/stores/to-problem.ts'
import { computed, ref, watch, type ComputedRef, type Ref } from 'vue'

export interface NewSessionSettings {
  readonly pickedModel: Ref<string | undefined>
  readonly pickedMode: Ref<PermissionMode | undefined>
  /** Empty while it is not known. */
  readonly model: ComputedRef<string>
  readonly mode: ComputedRef<PermissionMode>
  /** Why the model cannot be told. */
  readonly problem: ComputedRef<Problem | undefined>
  /** Waits until the model is known. Rejects with the reason where it cannot be. */
  settled(): Promise<{ model: string; permission: PermissionMode }>
  retry(): void
}

export function useNewSessionSettings(): NewSessionSettings {
  const config = useConfigStore()
  const providers = useProvidersStore()
  const pickedModel = ref<string>()
  const pickedMode = ref<PermissionMode>()

  const defaultModel = computed(() => {
    // Not known is not the same as none: the demonstration steps in only where no provider has a key.
    if (!config.loaded) return ''
    const configured = config.value('llm.model')
    if (typeof configured === 'string') return configured
    if (!providers.loaded) return ''
    // Who lost a key with the last run is told so by the provider's model; the demonstration does not step in unasked.
    const ready =
      providers.providers.find((provider) => provider.keyRequired && provider.hasKey && provider.defaultModel !== undefined) ??
      providers.lost.find((provider) => provider.defaultModel !== undefined)
    return ready === undefined ? DEMO_MODEL : `${ready.id}/${ready.defaultModel}`
  })
  const defaultMode = computed<PermissionMode>(() => {
    const configured = config.value('security.permission')
    return configured === 'plan' || configured === 'auto_edit' || configured === 'full_access' ? configured : 'ask'
  })
  const model = computed(() => pickedModel.value ?? defaultModel.value)
  const mode = computed(() => pickedMode.value ?? defaultMode.value)
  const problem = computed(() => (model.value === '' ? (config.problem ?? providers.problem) : undefined))

  async function settled(): Promise<{ model: string; permission: PermissionMode }> {
    while (model.value === '') {
      if (problem.value !== undefined) throw new AppError(problem.value)
      await changed()
    }
    return { model: model.value, permission: mode.value }
  }
  const changed = (): Promise<void> => new Promise((resolve) => watch([model, problem], () => resolve(), { once: true, flush: 'sync' }))

  function retry(): void {
    if (!config.loaded) void config.load()
    if (!providers.loaded) void providers.load()
  }

  return { pickedModel, pickedMode, model, mode, problem, settled, retry }
}
