/** The address the person keeps for a provider in the profile. What a session or the environment says goes first. */
import type { Services } from './services.ts'

/** @returns undefined where the environment names one, which the llm worker reads itself, or none is kept. */
export async function storedBaseUrl(services: Services, provider: string): Promise<string | undefined> {
  const variables = [`${provider.toUpperCase().replaceAll('-', '_')}_BASE_URL`, ...(provider === 'ollama' ? ['OLLAMA_HOST'] : [])]
  if (variables.some((name) => (process.env[name] ?? '') !== '')) return undefined
  const { providers } = await services.storage.ask((storage) => storage.providerSettingsList({}))
  return providers.find((entry) => entry.provider === provider)?.baseUrl
}
