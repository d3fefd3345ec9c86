/** Base of every adapter that speaks Chat Completions. A subclass supplies its dialect. */
import type { LiveModel } from '../domain/model-table.ts'
import { BaseAdapter } from './base-adapter.ts'
import { ChatParser } from './openai-chat-parser.ts'
import { buildChatBody, type ChatDialect } from './openai-chat-request.ts'
import type { WireContext, WireParser, WireRequest } from './wire-parser.ts'

export abstract class OpenAiChatAdapter extends BaseAdapter {
  protected readonly modelsPath: string = '/models'

  protected abstract dialect(context: WireContext): ChatDialect

  /** Only for models that are known to write `<think>` into their text. */
  protected writesThinkTags(_context: WireContext): boolean {
    return false
  }

  protected buildRequest(context: WireContext): WireRequest {
    return { path: '/chat/completions', framing: 'sse', body: buildChatBody(context, this.dialect(context)) }
  }

  protected createParser(context: WireContext): WireParser {
    return new ChatParser({
      builder: context.builder,
      fail: (body) => this.failure({ body, model: context.model }),
      thinkTags: this.writesThinkTags(context),
      onModel: (served) => this.onServedModel(served, context),
    })
  }

  /** The provider says which model answered. Overridden where another one than asked for is news. */
  protected onServedModel(_served: string, _context: WireContext): void {}

  protected readModels(body: unknown): LiveModel[] {
    return readChatModels(body)
  }
}

const NOT_CHAT = /embed|whisper|tts|dall-e|image|audio|realtime|moderation|transcri|rerank|sora|video|babbage|davinci/i

/** `{data: [{id}]}`, or a bare list; models that cannot chat are left out by their names. */
export function readChatModels(body: unknown): LiveModel[] {
  const list = Array.isArray(body) ? (body as unknown[]) : (body as { data?: unknown; models?: unknown } | null)?.data
  if (!Array.isArray(list)) throw new Error('no list of models')
  const models: LiveModel[] = []
  for (const entry of list as unknown[]) {
    if (typeof entry !== 'object' || entry === null) continue
    const {
      id,
      context_length: contextLength,
      max_model_len: maxLength,
    } = entry as { id?: unknown; context_length?: unknown; max_model_len?: unknown }
    if (typeof id !== 'string' || id === '' || NOT_CHAT.test(id)) continue
    const contextWindow = [contextLength, maxLength].find((value) => typeof value === 'number' && value > 0) as number | undefined
    models.push({ id, ...(contextWindow === undefined ? {} : { contextWindow }) })
  }
  return models
}
