/** The addresses the person keeps for providers in the profile. What a session or the environment says goes first. */
import type { Services } from './services.ts'

/** @returns undefined where the environment names one, which the llm worker reads itself, or none is kept. */
export async function storedBaseUrl(services: Services, provider: string): Promise<string | undefined> {
  // The usual case at the start of a run needs no question to storage.
  return inEnvironment(provider) ? undefined : (await storedBaseUrls(services))[provider]
}

/** By provider, those that are in force. */
export async function storedBaseUrls(services: Services): Promise<Record<string, string>> {
  const { providers } = await services.storage.ask((storage) => storage.providerSettingsList({}))
  return Object.fromEntries(
    providers.filter(({ provider }) => !inEnvironment(provider)).map(({ provider, baseUrl }) => [provider, baseUrl]),
  )
}

function inEnvironment(provider: string): boolean {
  const variables = [`${provider.toUpperCase().replaceAll('-', '_')}_BASE_URL`, ...(provider === 'ollama' ? ['OLLAMA_HOST'] : [])]
  return variables.some((name) => (process.env[name] ?? '') !== '')
}
