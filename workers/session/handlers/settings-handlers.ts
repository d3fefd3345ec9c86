/** Configuration, models, providers and their keys. */
import { tokenStatsOf } from '#contracts/context/token-stats.ts'
import { secretsOfUrl } from '#workers/shared/redact.ts'
import { keepSecret } from '../keep-secret.ts'
import { storedBaseUrl } from '../stored-base-url.ts'
import type { HandlerParts, HandlersOf } from './create-handlers.ts'

export function settingsHandlers({ services }: HandlerParts): HandlersOf<'config' | 'models' | 'providers'> {
  const storage = () => services.storage.client()
  const llm = () => services.llm.client()
  return {
    'config.list': async (input) => services.storage.ask((client) => client.configList(input)),
    'config.set': async (input) => (await storage()).configSet(input),
    'models.list': async (input) => services.llm.ask((client) => client.listModels(input)),
    'models.tokenStats': async () => ({ models: (await services.tokens.all()).map(tokenStatsOf) }),
    'providers.list': async () => services.llm.ask((client) => client.listProviders({})),
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
      if (baseUrl !== undefined) {
        keepSecret(services, ...secretsOfUrl('base-url', baseUrl))
        await (await storage()).providerSettingsSet({ provider, baseUrl: baseUrl.trim() === '' ? null : baseUrl })
      }
      return { stored: await services.keys.set(await llm(), provider, apiKey) }
    },
  }
}
