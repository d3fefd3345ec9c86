/** Ollama by its native API: models on the person's own machine, or hosted by Ollama with a key. */
import type { MetonaModelInfo } from '#contracts/metona/metona-adapter.ts'
import type { MetonaRequest } from '#contracts/metona/metona-request.ts'
import type { MetonaError } from '#contracts/metona/metona-response.ts'
import type { BaseUrlRule } from '../domain/check-settings.ts'
import type { LiveModel } from '../domain/model-table.ts'
import { isHostedOllama } from '../domain/model-table-builtin.ts'
import { BaseAdapter, type LiveList } from './base-adapter.ts'
import { createOllamaParser } from './ollama-parser.ts'
import { contextFor, ollamaBody, promptWeight, type OllamaModelFacts } from './ollama-request.ts'
import type { ProviderInfo, ProviderModule } from './provider-module.ts'
import type { WireContext, WireParser, WireRequest } from './wire-parser.ts'

const info: ProviderInfo = {
  id: 'ollama',
  displayName: 'Ollama',
  keyVariable: 'OLLAMA_API_KEY',
  keyRequired: false,
  defaultBaseUrl: 'http://localhost:11434',
  baseUrlVariable: 'OLLAMA_HOST',
  concurrency: 2,
}

/** Families that write think tags into the text when the server does not part their thoughts. */
const TAG_MODELS =
  /(?:^|\/)(?:qwen3|qwq|deepseek-r1|deepseek-v3\.1|magistral|cogito|smallthinker|phi4-(?:mini-)?reasoning|exaone-deep|openthinker|marco-o1)/
const SHOW_DEADLINES = { connectMs: 3_000, firstByteMs: 5_000, totalMs: 10_000 } as const
/** `/api/show` calls under way at once while the list is made. */
const SHOWS_AT_ONCE = 4

class OllamaAdapter extends BaseAdapter {
  protected override readonly baseUrlRule: BaseUrlRule = { versionPath: '', keepOwnPath: true }
  /** A local model may take minutes to be loaded before the first byte. */
  protected override readonly deadlines = { firstByteMs: 600_000 }
  protected readonly modelsPath = '/api/tags'
  readonly #facts = new Map<string, OllamaModelFacts>()
  /** Largest context asked for in this run, per model. */
  readonly #contexts = new Map<string, number>()
  readonly #withoutTools = new Set<string>()

  protected override baseUrl(): string {
    return ollamaUrl(super.baseUrl())
  }

  protected override async buildRequest(context: WireContext): Promise<WireRequest> {
    const { request, model, builder } = context
    const facts = await this.#factsOf(model, context)
    const described = this.modelInfo(model)
    const limit = this.#limitOf(described, facts)
    const weight = promptWeight(request)
    if (weight.least > limit) {
      builder.fail(
        this.ownError(
          'context_length_exceeded',
          `the prompt has at least ${weight.least} tokens, the model holds ${limit}: Ollama would silently leave out the oldest messages`,
          { providerCode: 'PROMPT_TOO_LARGE', retryable: false },
        ),
      )
    } else if (weight.most > limit) {
      builder.notice({
        code: 'context_nearly_full',
        message: `the prompt may have up to ${weight.most} tokens, the model holds ${limit}: if it does not fit, Ollama may leave out the oldest messages`,
        params: { tokens: weight.most, limit },
      })
    }
    const numCtx = contextFor(weight, request.params.maxTokens, Math.max(this.#contexts.get(model) ?? 0, facts.ownContext ?? 0), limit)
    this.#contexts.set(model, numCtx)
    const tools = facts.tools !== false && !this.#withoutTools.has(model)
    if (!tools && (request.tools ?? []).length > 0)
      builder.notice({ code: 'no_tools', message: `${model} cannot use tools: it answers without them`, params: { model } })
    return { path: '/api/chat', framing: 'ndjson', body: ollamaBody(request, model, { stream: context.stream, numCtx, facts, tools }) }
  }

  protected createParser(context: WireContext): WireParser {
    return createOllamaParser(context, TAG_MODELS.test(context.model))
  }

  /** The server knows whether a model takes tools or thinks; the question is repeated without. */
  protected override learnFrom(error: MetonaError, model: string, request: MetonaRequest): boolean {
    if (/does not support tools/i.test(error.message) && (request.tools ?? []).length > 0 && !this.#withoutTools.has(model)) {
      this.#withoutTools.add(model)
      return true
    }
    const facts = this.#facts.get(model) ?? {}
    if (/does not support thinking/i.test(error.message) && facts.thinking !== false) {
      this.#facts.set(model, { ...facts, thinking: false })
      return true
    }
    return false
  }

  protected override refineError(error: MetonaError): MetonaError {
    if (error.providerCode === 'ECONNREFUSED') return { ...error, message: `Ollama does not answer at ${this.baseUrl()}: is it running?` }
    return error
  }

  protected readModels(body: unknown): LiveModel[] {
    return readTags(body).map((entry) => this.#toLive(entry.name, entry.facts, entry.remote))
  }

  /** The list says little; each model's description says the rest. Descriptions that fail are left out. */
  protected override async liveModels(): Promise<LiveList> {
    const answer = await this.getJson(this.modelsPath)
    if (!answer.ok) return answer
    const entries = readTags(answer.body)
    const waiting = [...entries]
    const worker = async (): Promise<void> => {
      for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
        const facts = await this.#show(entry.name, undefined)
        this.#facts.set(entry.name, { ...entry.facts, ...facts })
      }
    }
    await Promise.all(Array.from({ length: SHOWS_AT_ONCE }, worker))
    const chat = entries.filter((entry) => this.#facts.get(entry.name) !== undefined && !isEmbedding(entry))
    return { ok: true, models: chat.map((entry) => this.#toLive(entry.name, this.#facts.get(entry.name) ?? entry.facts, entry.remote)) }
  }

  async #factsOf(model: string, context: WireContext): Promise<OllamaModelFacts> {
    const known = this.#facts.get(model)
    if (known !== undefined) return known
    const facts = await this.#show(model, context)
    // A server that did not answer is asked again next time; the chat request itself will say what is wrong.
    if (facts === undefined) return {}
    this.#facts.set(model, facts)
    this.settings.table.merge(this.providerId, [this.#toLive(model, facts, false)])
    return facts
  }

  async #show(model: string, context: WireContext | undefined): Promise<OllamaModelFacts | undefined> {
    const answer = await this.getJson('/api/show', { body: { model }, model, deadlines: SHOW_DEADLINES, signal: context?.signal })
    return answer.ok ? readShow(answer.body) : undefined
  }

  #limitOf(described: MetonaModelInfo, facts: OllamaModelFacts): number {
    return facts.contextLength === undefined ? described.contextWindow : Math.min(facts.contextLength, described.contextWindow)
  }

  #toLive(id: string, facts: OllamaModelFacts, remote: boolean): LiveModel {
    const hosted = remote || isHostedOllama(id) || /\/\/(?:www\.)?ollama\.com(?:[:/]|$)/.test(this.baseUrl())
    return {
      id,
      contextWindow: facts.contextLength,
      supportsToolCalling: facts.tools,
      supportsThinking: facts.thinking,
      supportsImages: facts.vision,
      ...(hosted ? { pricing: null } : {}),
    }
  }
}

/** `OLLAMA_HOST` may be a bare host, a port alone, or the address the server listens on (all of them). */
export function ollamaUrl(text: string): string {
  let address = text.trim().replace(/\/+(?:v1|api)?\/*$/, '')
  if (/^:\d+$/.test(address)) address = `localhost${address}`
  if (!/^[a-z]+:\/\//i.test(address)) {
    const hasPort = /:\d+(?:\/|$)/.test(address)
    address = `http://${hasPort ? address : address.replace(/^([^/]*)/, '$1:11434')}`
  }
  return address.replace(/^(https?:\/\/)(?:0\.0\.0\.0|\[::\])(?=[:/]|$)/i, '$1127.0.0.1')
}

interface TagEntry {
  readonly name: string
  readonly family: string
  readonly capabilities: readonly string[] | undefined
  readonly facts: OllamaModelFacts
  readonly remote: boolean
}

function readTags(body: unknown): TagEntry[] {
  const { models } = body as {
    models: {
      name?: string
      model?: string
      capabilities?: string[]
      remote_model?: string
      remote_host?: string
      details?: { family?: string; context_length?: number }
    }[]
  }
  return models.flatMap((entry) => {
    const name = entry.name ?? entry.model
    if (name === undefined) return []
    return [
      {
        name,
        family: entry.details?.family ?? '',
        capabilities: entry.capabilities,
        facts: fromCapabilities(entry.capabilities, entry.details?.context_length),
        remote: entry.remote_model !== undefined || entry.remote_host !== undefined,
      },
    ]
  })
}

function readShow(body: unknown): OllamaModelFacts {
  const shown = body as { capabilities?: string[]; model_info?: Record<string, unknown>; parameters?: string }
  const architecture = shown.model_info?.['general.architecture']
  const length = typeof architecture === 'string' ? shown.model_info?.[`${architecture}.context_length`] : undefined
  const own = /^num_ctx\s+(\d+)/m.exec(shown.parameters ?? '')?.[1]
  return {
    ...fromCapabilities(shown.capabilities, typeof length === 'number' ? length : undefined),
    ...(own === undefined ? {} : { ownContext: Number(own) }),
  }
}

function fromCapabilities(capabilities: readonly string[] | undefined, contextLength: number | undefined): OllamaModelFacts {
  return {
    ...(contextLength === undefined ? {} : { contextLength }),
    ...(capabilities === undefined
      ? {}
      : { tools: capabilities.includes('tools'), thinking: capabilities.includes('thinking'), vision: capabilities.includes('vision') }),
  }
}

/** Embedding models cannot chat; an old server says so only by the family. */
function isEmbedding(entry: TagEntry): boolean {
  if (entry.capabilities !== undefined) return !entry.capabilities.includes('completion')
  return entry.family === 'bert' || entry.family === 'nomic-bert' || /embed|minilm/.test(entry.name)
}

export const provider: ProviderModule = { info, create: (settings) => new OllamaAdapter(info, settings) }
