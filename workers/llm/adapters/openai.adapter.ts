/** OpenAI by its Responses API. Servers that only imitate Chat Completions are the provider `openai-compatible`. */
import type { MetonaRequest } from '#contracts/metona/metona-request.ts'
import type { MetonaError } from '#contracts/metona/metona-response.ts'
import type { LiveModel } from '../domain/model-table.ts'
import { BaseAdapter } from './base-adapter.ts'
import { isChatModel } from './openai-models.ts'
import { createResponsesParser } from './openai-responses-parser.ts'
import { responsesBody } from './openai-responses-request.ts'
import type { ProviderInfo, ProviderModule } from './provider-module.ts'
import type { WireContext, WireParser, WireRequest } from './wire-parser.ts'

const info: ProviderInfo = {
  id: 'openai',
  displayName: 'OpenAI',
  keyVariable: 'OPENAI_API_KEY',
  keyRequired: true,
  defaultBaseUrl: 'https://api.openai.com/v1',
  baseUrlVariable: 'OPENAI_BASE_URL',
  defaultModel: 'gpt-6.1-sol',
  concurrency: 64,
}

class OpenAiAdapter extends BaseAdapter {
  protected readonly modelsPath = '/models'
  #summaries = true
  /** Sessions whose reasoning the provider cannot read any more. */
  readonly #unreadable = new Set<string>()

  protected buildRequest(context: WireContext): WireRequest {
    const { request, model, stream, builder } = context
    if ((request.params.stop ?? []).length > 0)
      builder.notice({
        code: 'parameter_ignored',
        message: 'stop strings are not known to the Responses API and were left out',
        params: { parameter: 'stop' },
      })
    const official = new URL(context.baseUrl).hostname.endsWith('.openai.com')
    return {
      path: '/responses',
      framing: 'sse',
      body: responsesBody(request, model, {
        provider: this.providerId,
        stream,
        official,
        summaries: this.#summaries,
        replayReasoning: !this.#unreadable.has(request.meta.sessionId),
      }),
    }
  }

  protected createParser(context: WireContext): WireParser {
    return createResponsesParser(context, this.providerId)
  }

  /** Summaries of reasoning are given to verified organisations only; encrypted reasoning is read only where it was made. */
  protected override learnFrom(error: MetonaError, _model: string, request: MetonaRequest): boolean {
    const { sessionId } = request.meta
    if (
      (error.providerCode === 'invalid_encrypted_content' || /encrypted content/i.test(error.message)) &&
      !this.#unreadable.has(sessionId) &&
      request.messages.some((message) => message.providerState !== undefined)
    ) {
      this.#unreadable.add(sessionId)
      return true
    }
    if (!this.#summaries || error.code !== 'unknown' || !/reasoning summar|reasoning\.summary/i.test(error.message)) return false
    this.#summaries = false
    return true
  }

  protected readModels(body: unknown): LiveModel[] {
    const models = (body as { data: { id: string }[] }).data.map((model) => model.id)
    // A server of somebody else's has names of its own.
    const chat = models.filter(isChatModel)
    return (chat.length > 0 ? chat : models).map((id) => ({ id }))
  }
}

export const provider: ProviderModule = { info, create: (settings) => new OpenAiAdapter(info, settings) }
