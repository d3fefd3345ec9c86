/** Anthropic by its Messages API. */
import type { MetonaRequest } from '#contracts/metona/metona-request.ts'
import type { MetonaError } from '#contracts/metona/metona-response.ts'
import type { LiveModel } from '../domain/model-table.ts'
import type { FailureReport } from '../domain/map-error.ts'
import { anthropicBody } from './anthropic-request.ts'
import { createAnthropicParser } from './anthropic-parser.ts'
import { BaseAdapter, type LiveList } from './base-adapter.ts'
import type { ProviderInfo, ProviderModule } from './provider-module.ts'
import type { WireContext, WireParser, WireRequest } from './wire-parser.ts'

const info: ProviderInfo = {
  id: 'anthropic',
  displayName: 'Anthropic',
  keyVariable: 'ANTHROPIC_API_KEY',
  keyRequired: true,
  defaultBaseUrl: 'https://api.anthropic.com',
  baseUrlVariable: 'ANTHROPIC_BASE_URL',
  defaultModel: 'claude-sonnet-5-5',
  concurrency: 64,
}

const VERSION = { 'anthropic-version': '2023-06-01' } as const
/** Pages of the model list that are read at most. */
const MAX_PAGES = 10

/** `input length and max_tokens exceed context limit: 188240 + 21333 > 200000`, as older models say it. */
const TOO_MUCH_OUTPUT = /exceed context limit: (\d+) \+ \d+ > (\d+)/
/** Less room for an answer is not worth a request. */
const LEAST_ROOM = 1_024

class AnthropicAdapter extends BaseAdapter {
  protected readonly modelsPath = '/models?limit=1000'
  /** Sessions whose thoughts the provider does not recognise. */
  readonly #unrecognised = new Set<string>()
  #room: { readonly requestId: string; readonly tokens: number } | undefined

  protected override authorization(apiKey: string): Record<string, string> {
    return { 'x-api-key': apiKey }
  }

  protected buildRequest({ request, model, info, stream }: WireContext): WireRequest {
    return {
      path: '/messages',
      headers: VERSION,
      framing: 'sse',
      body: anthropicBody(request, model, info, {
        stream,
        replayThinking: !this.#unrecognised.has(request.meta.sessionId),
        room: this.#room?.requestId === request.meta.requestId ? this.#room.tokens : undefined,
      }),
    }
  }

  protected override learnFrom(error: MetonaError, _model: string, request: MetonaRequest): boolean {
    const { sessionId, requestId } = request.meta
    if (
      /signature|thinking(?:`)? blocks?/i.test(error.message) &&
      error.code === 'unknown' &&
      !this.#unrecognised.has(sessionId) &&
      request.messages.some((message) => message.providerState !== undefined)
    ) {
      this.#unrecognised.add(sessionId)
      return true
    }
    const sizes = TOO_MUCH_OUTPUT.exec(error.message)
    const tokens = sizes === null ? 0 : Number(sizes[2]) - Number(sizes[1])
    if (tokens < LEAST_ROOM || this.#room?.requestId === requestId) return false
    this.#room = { requestId, tokens }
    return true
  }

  protected createParser(context: WireContext): WireParser {
    return createAnthropicParser(context)
  }

  protected override refineError(error: MetonaError, report: FailureReport): MetonaError {
    // The body of a 413 comes from the network in front and need not say what it was.
    if (report.status === 413) return { ...error, message: 'the request is larger than 32 MB, usually because of images' }
    return error
  }

  protected readModels(body: unknown): LiveModel[] {
    return (body as { data: ListedModel[] }).data.map((model) => ({
      id: model.id,
      displayName: model.display_name,
      contextWindow: model.max_input_tokens ?? undefined,
      maxOutput: model.max_tokens ?? undefined,
      supportsImages: capability(model, 'image_input'),
      supportsThinking: capability(model, 'thinking'),
      supportsStructuredOutput: capability(model, 'structured_outputs'),
    }))
  }

  protected override async liveModels(): Promise<LiveList> {
    const models: LiveModel[] = []
    let after = ''
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const answer = await this.getJson(`${this.modelsPath}${after === '' ? '' : `&after_id=${encodeURIComponent(after)}`}`, {
        headers: VERSION,
      })
      if (!answer.ok) return answer
      const body = answer.body as { data?: unknown; has_more?: boolean; last_id?: string | null }
      if (!Array.isArray(body.data))
        return { ok: false, error: this.ownError('invalid_response', 'the model list has an unexpected shape') }
      models.push(...this.readModels(body))
      if (body.has_more !== true || typeof body.last_id !== 'string' || body.last_id === after) break
      after = body.last_id
    }
    return { ok: true, models }
  }
}

interface ListedModel {
  id: string
  display_name?: string
  max_input_tokens?: number | null
  max_tokens?: number | null
  capabilities?: Record<string, unknown> | null
}

/** Said as a boolean or as `{supported}`; anything else says nothing. */
function capability(model: ListedModel, name: string): boolean | undefined {
  const value = model.capabilities?.[name]
  if (typeof value === 'boolean') return value
  const supported = typeof value === 'object' && value !== null ? (value as { supported?: unknown }).supported : undefined
  return typeof supported === 'boolean' ? supported : undefined
}

export const provider: ProviderModule = { info, create: (settings) => new AnthropicAdapter(info, settings) }
