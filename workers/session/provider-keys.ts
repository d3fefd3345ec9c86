/** Keys the person gave here: kept in the shell's secret store where there is one, else for this run. */
import type { llmService } from '#contracts/llm/llm-service.ts'
import { toErrorData } from '#contracts/wire/app-error.ts'
import type { ServiceClient } from '#contracts/wire/define-service.ts'
import type { WorkerContext } from '#workers/shared/start-worker.ts'
import type { Secret } from '#workers/shared/redact.ts'

type Llm = ServiceClient<typeof llmService>

export class ProviderKeys {
  readonly #context: WorkerContext
  readonly #onSecret: (secret: Secret) => void
  /** By provider; null takes the environment's away. */
  readonly #keys = new Map<string, string | null>()
  /** Providers whose key the secret store has. */
  readonly #inStore = new Set<string>()
  #stored: Promise<void> | undefined

  /** @param onSecret told of every key before it is used, so that it is kept out of all that is written. */
  constructor(context: WorkerContext, onSecret: (secret: Secret) => void) {
    this.#context = context
    this.#onSecret = onSecret
  }

  /** Tells a new llm worker all keys, on the first time those of the secret store too. */
  async tell(llm: Llm): Promise<void> {
    this.#stored ??= this.#readStored(llm)
    await this.#stored
    await Promise.all([...this.#keys].map(([provider, apiKey]) => llm.setKey({ provider, apiKey })))
  }

  isInStore(provider: string): boolean {
    return this.#inStore.has(provider)
  }

  async set(llm: Llm, provider: string, apiKey: string | null): Promise<'secret_store' | 'this_run'> {
    this.#take(provider, apiKey)
    await llm.setKey({ provider, apiKey })
    try {
      await this.#context.native('writeSecret', { name: nameOf(provider), value: apiKey })
      if (apiKey === null) this.#inStore.delete(provider)
      else this.#inStore.add(provider)
      return 'secret_store'
    } catch (thrown) {
      // A key that could not be removed would be back at the next start.
      if (apiKey === null && toErrorData(thrown).code !== 'NOT_AVAILABLE') throw thrown
      this.#context.log('info', `key of ${provider} kept for this run: ${toErrorData(thrown).code}`)
      return 'this_run'
    }
  }

  /** Never rejects: a store that cannot be read must not keep the app from working with the environment's keys. */
  async #readStored(llm: Llm): Promise<void> {
    if (!(await this.#hasStore())) return
    const { providers } = await llm.listProviders({})
    await Promise.all(
      providers.map(async ({ id }) => {
        try {
          const apiKey = await this.#context.native('readSecret', { name: nameOf(id) })
          // One given meanwhile is newer.
          if (typeof apiKey !== 'string' || this.#keys.has(id)) return
          this.#take(id, apiKey)
          this.#inStore.add(id)
        } catch (thrown) {
          this.#context.log('warn', `the stored key of ${id} cannot be read: ${toErrorData(thrown).message}`)
        }
      }),
    )
  }

  async #hasStore(): Promise<boolean> {
    try {
      const answer = await this.#context.native('secretsAvailable', {})
      return typeof answer === 'object' && answer !== null && 'available' in answer && answer.available === true
    } catch {
      // The shell has none, as a terminal; keys then come from the environment.
      return false
    }
  }

  #take(provider: string, apiKey: string | null): void {
    if (apiKey !== null) this.#onSecret({ name: `${provider}-key`, value: apiKey })
    this.#keys.set(provider, apiKey)
  }
}

function nameOf(provider: string): string {
  return `provider.${provider}`
}
