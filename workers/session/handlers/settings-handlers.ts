/** Configuration and models. */
import { tokenStatsOf } from '#contracts/context/token-stats.ts'
import { storedBaseUrls } from '../stored-base-url.ts'
import type { HandlerParts, HandlersOf } from './create-handlers.ts'

export function settingsHandlers({ services }: HandlerParts): HandlersOf<'config' | 'models'> {
  const storage = () => services.storage.client()
  return {
    'config.list': async (input) => services.storage.ask((client) => client.configList(input)),
    'config.set': async (input) => (await storage()).configSet(input),
    'config.setDomain': async (input) => (await storage()).configSetDomain(input),
    'models.list': async ({ provider, live }) => {
      const baseUrls = live ? await storedBaseUrls(services) : {}
      return services.llm.ask((client) => client.listModels({ ...(provider === undefined ? {} : { provider }), live, baseUrls }))
    },
    'models.overrides': async () => services.llm.ask((client) => client.readOverrides({})),
    'models.setOverride': async (input) => (await services.llm.client()).setOverride(input),
    'models.tokenStats': async () => ({ models: (await services.tokens.all()).map(tokenStatsOf) }),
  }
}
