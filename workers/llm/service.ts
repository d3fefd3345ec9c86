/** The llm service: finds the adapter, waits for the provider's queue, streams onto the given port. */
import { threadId } from 'node:worker_threads'
import type { llmService, ModelTarget } from '#contracts/llm/llm-service.ts'
import type { Diagnosis, ProviderDescriptor } from '#contracts/llm/provider-descriptor.ts'
import type { MetonaModelInfo } from '#contracts/metona/metona-adapter.ts'
import type { MetonaResponse } from '#contracts/metona/metona-response.ts'
import type { ServiceHandlers } from '#contracts/wire/define-service.ts'
import { AppError, toErrorData } from '#contracts/wire/app-error.ts'
import { costOf } from './domain/cost.ts'
import { noUsage } from './domain/usage.ts'
import { threadHealth } from '#workers/shared/metering/thread-meter.ts'
import { registry } from './adapters/registry.ts'
import type { ModelTables } from './model-tables.ts'
import type { OwnModelsFile } from './own-models-file.ts'
import type { Providers } from './providers.ts'
import { StreamBatcher } from './stream-batcher.ts'

export interface LlmServiceParts {
  readonly providers: Providers
  readonly tables: ModelTables
  readonly ownModels: OwnModelsFile
}

/** How long a provider that refuses with 429 and says nothing more is left alone. */
const PAUSE_AFTER_429_MS = 2_000

export function createLlmService({ providers, tables, ownModels }: LlmServiceParts): ServiceHandlers<typeof llmService> {
  let streams = 0

  return {
    stream: async ({ target, request, port }, { signal }) => {
      const batcher = new StreamBatcher(port, request.meta.sessionId)
      const startedAt = Date.now()
      let queuedMs = 0
      let socketClosedMs: number | undefined
      streams += 1
      try {
        const provider = await providers.find(target.provider)
        if (provider === undefined) {
          const response = unknownProvider(target, request.meta.requestId)
          if (response.error !== undefined) batcher.add({ type: 'error', error: response.error })
          batcher.add({ type: 'done', finishReason: 'error' })
          return { response, queuedMs }
        }
        const adapter = await provider.adapter(target.baseUrl)
        const queue = provider.queue
        const response = await adapter.sendStream(
          { ...request, meta: { ...request.meta, model: target.model } },
          (event) => batcher.add(event),
          {
            signal,
            gate: () => batcher.gate(),
            admit: async (run) => {
              const arrived = performance.now()
              await queue.run(
                () => {
                  queuedMs += performance.now() - arrived
                  return run()
                },
                {
                  sessionId: request.meta.sessionId,
                  signal,
                  onWait: (wait) => batcher.post({ queue: { provider: target.provider, ...wait } }),
                },
              )
            },
            onRetry: (retry) => batcher.post({ retry }),
            onRateLimited: (retryAfterMs) => queue.pause(retryAfterMs ?? PAUSE_AFTER_429_MS),
            onSocketClosed: (milliseconds) => (socketClosedMs = milliseconds),
          },
        )
        const model = (await tables.current()).describe(target.provider, target.model).model
        const cost = response.usage.totalTokens > 0 ? costOf(response.usage, model, startedAt) : undefined
        return { response, queuedMs, ...(cost === undefined ? {} : { cost }), ...(socketClosedMs === undefined ? {} : { socketClosedMs }) }
      } finally {
        streams -= 1
        batcher.close()
      }
    },

    listModels: async ({ provider, live, baseUrls }) => {
      const table = await tables.reload()
      const problems: Diagnosis[] = tables.problems()
      const wanted = provider === undefined ? Object.keys(registry) : [provider]
      const lists = await Promise.all(
        wanted.map(async (id): Promise<MetonaModelInfo[]> => {
          const found = await providers.find(id)
          if (found === undefined) {
            problems.push({
              provider: id,
              ok: false,
              code: 'unknown',
              message: `there is no provider "${id}"; known: ${Object.keys(registry).join(', ')}`,
            })
            return []
          }
          if (!live) return table.list(id)
          const adapter = await found.adapter(baseUrls[id])
          // Without a key that is needed there is nothing to ask.
          if (provider === undefined && found.descriptor().keyRequired && !found.descriptor().hasKey) return table.list(id)
          const [models, diagnosis] = await Promise.all([adapter.listModels(), adapter.diagnose()])
          if (!diagnosis.ok) problems.push(diagnosis)
          return models
        }),
      )
      return { models: lists.flat(), problems }
    },

    describeModel: async ({ target }) => {
      if ((await providers.find(target.provider)) === undefined) throw unknownProviderError(target.provider)
      return (await tables.current()).describe(target.provider, target.model)
    },

    listProviders: async ({ provider }) => {
      const wanted = provider === undefined ? Object.keys(registry) : [provider]
      const found = await Promise.all(wanted.map((id) => providers.find(id)))
      return { providers: found.flatMap((one): ProviderDescriptor[] => (one === undefined ? [] : [one.descriptor()])) }
    },

    diagnose: async ({ target, apiKey }) => {
      const provider = await providers.find(target.provider)
      if (provider === undefined) throw unknownProviderError(target.provider)
      const adapter = await provider.adapter(target.baseUrl, apiKey)
      return adapter.diagnose(target.model)
    },

    readOverrides: async () => ({ overrides: await ownModels.read() }),
    setOverride: async ({ model, override }) => {
      await ownModels.set(model, override)
      await tables.reload()
      return {}
    },

    setKey: async ({ provider, apiKey }) => {
      const found = await providers.find(provider)
      if (found === undefined) throw unknownProviderError(provider)
      found.setKey(apiKey)
      return {}
    },

    setLimits: async ({ provider, concurrency, perMinute }) => {
      const found = await providers.find(provider)
      if (found === undefined) throw unknownProviderError(provider)
      found.setLimits({ concurrency, perMinute })
      return {}
    },

    health: () => ({ threadId, streams, queued: providers.queued(), thread: threadHealth() }),
  }
}

function unknownProviderError(id: string): AppError {
  return new AppError({
    code: 'UNKNOWN_PROVIDER',
    message: `there is no provider "${id}"; known: ${Object.keys(registry).join(', ')}`,
    params: { provider: id, known: Object.keys(registry).join(', ') },
  })
}

function unknownProvider(target: ModelTarget, requestId: string): MetonaResponse {
  const { code, message } = toErrorData(unknownProviderError(target.provider))
  return {
    meta: { requestId, provider: target.provider, model: target.model, latencyMs: 0, timestamp: Date.now() },
    content: '',
    usage: noUsage,
    finishReason: 'error',
    error: { code: 'unknown', message, provider: target.provider, providerCode: code, retryable: false },
  }
}
