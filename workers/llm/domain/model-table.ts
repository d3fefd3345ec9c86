/** The model table: built-in figures, what providers said live, and the person's corrections on top. */
import type { MetonaModelInfo, MetonaPricing } from '#contracts/metona/metona-adapter.ts'
import {
  builtInModels,
  isHostedOllama,
  retiredModels,
  unknownModelDefaults,
  unknownProviderDefault,
  type BuiltInModel,
} from './model-table-builtin.ts'
import { noOverrides, type ModelOverrides } from './model-table-overrides.ts'

/** What a provider's own list says of a model; absent fields are not said. `pricing: null`: the price is not known. */
export type LiveModel = { readonly id: string; readonly pricing?: MetonaPricing | null | undefined } & {
  readonly [K in Exclude<keyof MetonaModelInfo, 'id' | 'providerId' | 'pricing'>]?: MetonaModelInfo[K] | undefined
}

export interface ModelTable {
  /** `known` is false for a model that is in no table and no live list: its window is an assumption. */
  describe(provider: string, model: string): { model: MetonaModelInfo; known: boolean }
  /** Built-in and added models, of one provider or all. */
  list(provider?: string): MetonaModelInfo[]
  /**
   * Remembers a live list and returns it completed from the table, in the live order, with the models the
   * person added at the end. What is live wins over the built-in table, the person's own entry over both.
   */
  merge(provider: string, live: readonly LiveModel[]): MetonaModelInfo[]
  /** What to use instead of a name the provider switched off. */
  successorOf(provider: string, model: string): string | undefined
}

/** Snapshot names carry their date: `claude-haiku-4-5-20251001`, `gpt-6-sol-2026-09-22`. */
const DATE_SUFFIX = /-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/

export function createModelTable(overrides: ModelOverrides = noOverrides): ModelTable {
  const byName = new Map<string, BuiltInModel>()
  for (const entry of builtInModels) for (const id of [entry.id, ...(entry.aliases ?? [])]) byName.set(`${entry.providerId}/${id}`, entry)
  const learned = new Map<string, LiveModel>()

  const describe = (provider: string, id: string): { model: MetonaModelInfo; known: boolean } => {
    const name = `${provider}/${id}`
    const builtIn = byName.get(name) ?? byName.get(name.replace(DATE_SUFFIX, ''))
    const live = learned.get(name)
    const own = overrides.models[name]
    const model: MetonaModelInfo = {
      ...base(provider, id, builtIn, overrides.currency[provider]),
      ...said(live),
      ...said(own),
      id,
      providerId: provider,
    }
    if (own?.pricing === null || (own?.pricing === undefined && live?.pricing === null)) delete model.pricing
    return { model, known: builtIn !== undefined || live?.contextWindow !== undefined || own?.contextWindow !== undefined }
  }

  const added = (provider: string, present: readonly string[]): string[] =>
    Object.keys(overrides.models)
      .filter((name) => name.startsWith(`${provider}/`))
      .map((name) => name.slice(provider.length + 1))
      .filter((id) => !present.includes(id))

  const list = (provider?: string): MetonaModelInfo[] => {
    const providers =
      provider === undefined
        ? [
            ...new Set([
              ...builtInModels.map((entry) => entry.providerId),
              ...Object.keys(overrides.models).map((name) => name.slice(0, name.indexOf('/'))),
            ]),
          ]
        : [provider]
    return providers.flatMap((id) => {
      const present = builtInModels.filter((entry) => entry.providerId === id).map((entry) => entry.id)
      return [...present, ...added(id, present)].map((model) => describe(id, model).model)
    })
  }

  return {
    describe,
    list,
    merge: (provider, live) => {
      for (const model of live) learned.set(`${provider}/${model.id}`, model)
      const ids = live.map((model) => model.id)
      return [...ids, ...added(provider, ids)].map((id) => describe(provider, id).model)
    },
    successorOf: (provider, model) => retiredModels[`${provider}/${model}`],
  }
}

function base(provider: string, id: string, builtIn: BuiltInModel | undefined, currency: string | undefined): MetonaModelInfo {
  if (builtIn === undefined) {
    const { pricing, ...defaults } = unknownModelDefaults[provider] ?? unknownProviderDefault
    return {
      id,
      providerId: provider,
      displayName: id,
      supportsStreaming: true,
      supportsThinking: false,
      supportsImages: false,
      supportsToolCalling: true,
      supportsStructuredOutput: false,
      ...defaults,
      ...(pricing === undefined || (provider === 'ollama' && isHostedOllama(id)) ? {} : { pricing }),
    }
  }
  const { prices, aliases: _aliases, ...facts } = builtIn
  const pricing: MetonaPricing | undefined = prices.find((entry) => entry.currency === currency) ?? prices[0]
  return pricing === undefined ? facts : { ...facts, pricing }
}

/** Only the fields that are there, so that an absent one never hides a known one. */
function said(partial: Record<string, unknown> | undefined): Partial<MetonaModelInfo> {
  return Object.fromEntries(Object.entries(partial ?? {}).filter(([, value]) => value !== undefined && value !== null))
}
