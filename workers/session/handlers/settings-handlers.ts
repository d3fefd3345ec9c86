/** Configuration, models, providers and their keys. */
import { toErrorData } from '#contracts/wire/app-error.ts'
import type { HandlerParts, HandlersOf } from './create-handlers.ts'

export function settingsHandlers({ services }: HandlerParts): HandlersOf<'config' | 'models' | 'providers'> {
  const storage = () => services.storage.client()
  const llm = () => services.llm.client()
  return {
    'config.list': async (input) => (await storage()).configList(input),
    'config.set': async (input) => (await storage()).configSet(input),
    'models.list': async (input) => (await llm()).listModels(input),
    'providers.list': async () => (await llm()).listProviders({}),
    'providers.diagnose': async ({ provider, baseUrl, apiKey, model }) =>
      (await llm()).diagnose({
        target: { provider, ...(baseUrl === undefined ? {} : { baseUrl }), ...(model === undefined ? {} : { model }) },
        ...(apiKey === undefined ? {} : { apiKey }),
      }),
    'providers.setKey': async ({ provider, apiKey }) => {
      await (await llm()).setKey({ provider, apiKey })
      try {
        await services.context.native('writeSecret', { name: `provider.${provider}`, value: apiKey })
        return { stored: 'secret_store' }
      } catch (thrown) {
        services.context.log('info', `key of ${provider} kept for this run: ${toErrorData(thrown).code}`)
        return { stored: 'this_run' }
      }
    },
  }
}
