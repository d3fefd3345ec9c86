/** Providers, their keys and addresses. */
import { AppError } from '#contracts/wire/app-error.ts'
import { secretsOfUrl } from '#workers/shared/redact.ts'
import { keepSecret } from '../keep-secret.ts'
import { storedBaseUrl, storedBaseUrls } from '../stored-base-url.ts'
import type { HandlerParts, HandlersOf } from './create-handlers.ts'

export function providerHandlers({ services }: HandlerParts): HandlersOf<'providers'> {
  const storage = () => services.storage.client()
  const llm = () => services.llm.client()

  async function setBaseUrl(provider: string, typed: string | null): Promise<void> {
    const baseUrl = typed?.trim() ?? ''
    if (baseUrl !== '' && !/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? ''))
      throw new AppError({ code: 'BAD_BASE_URL', message: `${baseUrl} is no http or https address`, params: { value: baseUrl } })
    keepSecret(services, ...secretsOfUrl('base-url', baseUrl))
    await (await storage()).providerSettingsSet({ provider, baseUrl: baseUrl === '' ? null : baseUrl })
  }

  return {
    'providers.setBaseUrl': async ({ provider, baseUrl }) => {
      await setBaseUrl(provider, baseUrl)
      return {}
    },
    'providers.list': async () => {
      const [{ providers }, { places }, addresses] = await Promise.all([
        services.llm.ask((client) => client.listProviders({})),
        services.storage.ask((client) => client.keyPlaces({})),
        storedBaseUrls(services),
      ])
      return {
        providers: providers.map((provider) => ({
          ...provider,
          ...(provider.keyFrom === 'this_run' && services.keys.isInStore(provider.id) ? { keyFrom: 'secret_store' as const } : {}),
          ...(provider.keyRequired && !provider.hasKey && places[provider.id] !== undefined ? { keyLost: true } : {}),
          ...(addresses[provider.id] === undefined ? {} : { baseUrl: addresses[provider.id] }),
        })),
      }
    },
    'providers.diagnose': async ({ provider, baseUrl, apiKey, model }) => {
      // A provider may quote the key it refuses.
      if (apiKey !== undefined) keepSecret(services, { name: `${provider}-key`, value: apiKey })
      if (baseUrl !== undefined) keepSecret(services, ...secretsOfUrl('base-url', baseUrl))
      const address = baseUrl ?? (await storedBaseUrl(services, provider))
      return (await llm()).diagnose({
        target: { provider, ...(address === undefined ? {} : { baseUrl: address }), ...(model === undefined ? {} : { model }) },
        ...(apiKey === undefined ? {} : { apiKey }),
      })
    },
    'providers.setKey': async ({ provider, apiKey, baseUrl }) => {
      if (baseUrl !== undefined) await setBaseUrl(provider, baseUrl)
      const stored = await services.keys.set(await llm(), provider, apiKey)
      // Remembered without the key, so that its absence after a restart can be said.
      await (await storage()).keyPlaceSet({ provider, place: apiKey === null ? null : stored })
      return { stored }
    },
  }
}
