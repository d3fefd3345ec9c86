/** The providers as this run has them: keys, base URLs, adapters kept per setting, one queue each. */
import { registry } from './adapters/registry.ts'
import type { ProviderAdapter, ProviderModule } from './adapters/provider-module.ts'
import type { Transport } from './adapters/transport.ts'
import { checkKey } from './domain/check-settings.ts'
import type { AbortSignalLike } from '#contracts/metona/metona-adapter.ts'
import type { ProviderDescriptor } from '#contracts/llm/provider-descriptor.ts'
import { newToolCallId } from './new-tool-call-id.ts'
import type { ModelTables } from './model-tables.ts'
import { ProviderQueue } from './provider-queue.ts'

export interface Provider {
  readonly queue: ProviderQueue
  descriptor(): ProviderDescriptor
  /** `baseUrl` of the request, else the environment's, else the provider's own. `apiKey` only for a check before it is stored. */
  adapter(baseUrl: string | undefined, apiKey?: string): Promise<ProviderAdapter>
  setKey(apiKey: string | null): void
  setLimits(limits: { readonly concurrency?: number | undefined; readonly perMinute?: number | null | undefined }): void
}

export interface ProvidersOptions {
  readonly transport: () => Transport | Promise<Transport>
  readonly tables: ModelTables
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Replaces the registry in tests. */
  readonly modules?: typeof registry
}

export class Providers {
  readonly #options: ProvidersOptions
  readonly #found = new Map<string, Promise<Provider>>()
  readonly #queues: ProviderQueue[] = []

  constructor(options: ProvidersOptions) {
    this.#options = options
  }

  /** undefined: there is no such provider. */
  async find(id: string): Promise<Provider | undefined> {
    const modules = this.#options.modules ?? registry
    const load = Object.hasOwn(modules, id) ? modules[id] : undefined
    if (load === undefined) return undefined
    let found = this.#found.get(id)
    if (found === undefined) {
      found = load().then(({ provider }) => this.#create(provider))
      this.#found.set(id, found)
    }
    return found
  }

  queued(): number {
    return this.#queues.reduce((sum, queue) => sum + queue.queued, 0)
  }

  close(): void {
    for (const queue of this.#queues) queue.close()
  }

  #create(module: ProviderModule): Provider {
    const { info } = module
    const { environment, tables, transport } = this.#options
    let limits = { concurrency: info.concurrency, perMinute: info.perMinute }
    const queue = new ProviderQueue(limits)
    this.#queues.push(queue)
    const adapters = new Map<string, ProviderAdapter>()
    /** For this run; wins over the environment. */
    let ownKey: string | null | undefined

    const key = (): string | undefined => {
      if (ownKey !== undefined) return ownKey ?? undefined
      const value = info.keyVariable === undefined ? undefined : environment[info.keyVariable]
      return value === '' ? undefined : value
    }
    const baseUrlFromEnvironment = (): string | undefined =>
      info.baseUrlVariable === undefined ? undefined : environment[info.baseUrlVariable]
    const keyProblem = (): string | undefined => {
      if (key() === undefined) return undefined
      return checkKey(key(), { provider: info.id, displayName: info.displayName, required: info.keyRequired, variable: info.keyVariable })
        ?.message
    }
    return {
      queue,
      descriptor: () => {
        const problem = keyProblem()
        const { perMinute: _cap, ...rest } = info
        return {
          ...rest,
          concurrency: limits.concurrency,
          ...(limits.perMinute === undefined ? {} : { perMinute: limits.perMinute }),
          hasKey: key() !== undefined,
          ...(key() === undefined ? {} : { keyFrom: ownKey === undefined ? ('environment' as const) : ('this_run' as const) }),
          ...((baseUrlFromEnvironment() ?? '') === '' ? {} : { baseUrlFromEnvironment: baseUrlFromEnvironment() }),
          ...(problem === undefined ? {} : { keyProblem: problem }),
        }
      },
      adapter: async (baseUrl, apiKey) => {
        const settings = { apiKey: apiKey ?? key(), baseUrl: baseUrl ?? baseUrlFromEnvironment() }
        const name = JSON.stringify([settings.baseUrl, settings.apiKey])
        const known = adapters.get(name)
        if (known !== undefined) return known
        const adapter = module.create({
          ...settings,
          table: await tables.current(),
          transport: await transport(),
          now: Date.now,
          newToolCallId,
          random: Math.random,
          sleep,
        })
        // A key that is only being checked is not kept.
        if (apiKey === undefined) adapters.set(name, adapter)
        return adapter
      },
      setKey: (apiKey) => {
        ownKey = apiKey
        adapters.clear()
      },
      setLimits: ({ concurrency, perMinute }) => {
        limits = {
          concurrency: concurrency ?? limits.concurrency,
          perMinute: perMinute === undefined ? limits.perMinute : (perMinute ?? undefined),
        }
        queue.setLimits(limits)
      },
    }
  }
}

/** Rejects at once when the signal aborts. */
export function sleep(milliseconds: number, signal: AbortSignalLike | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(new Error('aborted'))
    const onAbort = (): void => {
      clearTimeout(timer)
      reject(new Error('aborted'))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
