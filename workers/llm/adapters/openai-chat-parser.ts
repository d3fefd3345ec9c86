/** Reads the Chat Completions wire, in the many dialects that compatible servers and gateways speak. */
import type { MetonaError } from '#contracts/metona/metona-response.ts'
import type { FinishLabel } from '../domain/conclude-answer.ts'
import type { Frame, StreamEnd } from '../domain/frame.ts'
import type { ResponseBuilder } from '../domain/response-builder.ts'
import { createThinkTags, type ThinkTags } from '../domain/think-tags.ts'
import { normaliseUsage } from '../domain/usage.ts'
import type { WireParser } from './wire-parser.ts'

interface ChatToolCall {
  readonly index?: number | null
  readonly id?: string | null
  readonly function?: { readonly name?: string | null; readonly arguments?: string | object | null } | null
}

interface ChatMessage {
  readonly content?: string | readonly unknown[] | null
  readonly reasoning_content?: string | null
  readonly reasoning?: unknown
  readonly refusal?: string | null
  readonly tool_calls?: readonly (ChatToolCall | null)[] | null
  readonly function_call?: { readonly name?: string | null; readonly arguments?: string | null } | null
}

interface ChatPayload {
  readonly model?: string
  readonly object?: string
  readonly error?: unknown
  readonly message?: string
  readonly choices?:
    | readonly {
        readonly delta?: ChatMessage | null
        readonly message?: ChatMessage | null
        readonly finish_reason?: string | null
        readonly usage?: unknown
      }[]
    | null
  readonly usage?: unknown
  readonly x_groq?: { readonly usage?: unknown; readonly error?: unknown }
}

export interface ChatParserOptions {
  readonly builder: ResponseBuilder
  /** Maps an error object found inside the stream. */
  readonly fail: (body: unknown) => MetonaError
  /** Set only for models declared to put their thoughts into the text. */
  readonly thinkTags: boolean
  /** The model name the provider says it used. */
  readonly onModel?: (model: string) => void
}

export class ChatParser implements WireParser {
  readonly #builder: ResponseBuilder
  readonly #options: ChatParserOptions
  readonly #tags: ThinkTags | undefined
  #refused = false
  #modelSeen = false

  constructor(options: ChatParserOptions) {
    this.#options = options
    this.#builder = options.builder
    this.#tags = options.thinkTags ? createThinkTags(options.builder) : undefined
  }

  feed(frame: Frame): void {
    const data = frame.data.trim()
    if (data === '[DONE]') {
      this.#tags?.end()
      return this.#builder.end()
    }
    const payload = JSON.parse(data) as ChatPayload | null
    if (typeof payload !== 'object' || payload === null) return
    this.#payload(payload, false)
  }

  document(body: unknown): void {
    const payload = body as ChatPayload | null
    if (typeof payload !== 'object' || payload === null) throw new Error('no JSON object')
    this.#payload(payload, true)
    if (this.#builder.failure !== undefined) return
    if (!Array.isArray(payload.choices) || payload.choices.length === 0) throw new Error('no choices')
    this.#tags?.end()
    this.#builder.end()
  }

  end(_end: StreamEnd): void {
    // `[DONE]` has flushed already, and a second flush has nothing left to show.
    if (!this.#builder.over) this.#tags?.end()
  }

  #payload(payload: ChatPayload, whole: boolean): void {
    const error = payload.error ?? payload.x_groq?.error
    if (error !== undefined && error !== null) return this.#builder.fail(this.#options.fail(payload.error === undefined ? error : payload))
    if (payload.object === 'error' && typeof payload.message === 'string') return this.#builder.fail(this.#options.fail(payload))
    if (!this.#modelSeen && typeof payload.model === 'string' && payload.model !== '') {
      this.#modelSeen = true
      this.#options.onModel?.(payload.model)
    }
    const choice = payload.choices?.[0]
    if (choice !== undefined && choice !== null) {
      this.#message(choice.delta ?? (whole || choice.delta === undefined ? choice.message : undefined) ?? {}, whole)
      if (choice.usage !== undefined) this.#usage(choice.usage, false)
      this.#finish(choice.finish_reason)
    }
    this.#usage(payload.usage ?? payload.x_groq?.usage, choice === undefined)
  }

  #message(message: ChatMessage, whole: boolean): void {
    const reasoning = message.reasoning_content ?? message.reasoning
    if (typeof reasoning === 'string') this.#builder.reasoning(reasoning)
    if (typeof message.content === 'string') this.#text(message.content)
    else if (Array.isArray(message.content)) for (const part of message.content) this.#part(part)
    if (typeof message.refusal === 'string' && message.refusal !== '') {
      this.#refused = true
      this.#text(message.refusal)
    }
    const calls = message.tool_calls
    if (Array.isArray(calls)) {
      for (const [position, call] of calls.entries()) {
        if (call === null || typeof call !== 'object') continue
        // In a whole answer the position tells calls apart, whatever ids and indexes say.
        this.#builder.toolCall({
          index: whole ? position : call.index,
          id: call.id,
          name: call.function?.name,
          arguments: call.function?.arguments,
        })
      }
    } else if (message.function_call !== undefined && message.function_call !== null) {
      this.#builder.toolCall({ index: 0, name: message.function_call.name, arguments: message.function_call.arguments })
    }
  }

  /** Some servers send the content as parts, thoughts among them. */
  #part(part: unknown): void {
    if (typeof part === 'string') return this.#text(part)
    if (typeof part !== 'object' || part === null) return
    const { type, text, thinking } = part as { type?: unknown; text?: unknown; thinking?: unknown }
    if (type === 'thinking') {
      const inner = Array.isArray(thinking)
        ? thinking.map((piece: { text?: unknown }) => (typeof piece.text === 'string' ? piece.text : '')).join('')
        : thinking
      if (typeof inner === 'string') this.#builder.reasoning(inner)
    } else if (typeof text === 'string') this.#text(text)
  }

  #text(text: string): void {
    if (this.#tags === undefined) this.#builder.text(text)
    else if (text !== '') this.#tags.push(text)
  }

  #finish(reason: unknown): void {
    if (typeof reason !== 'string' || reason === '' || reason === 'null') return
    this.#tags?.end()
    if (reason === 'insufficient_system_resource' || reason === 'error') {
      return this.#builder.fail(
        this.#options.fail({
          error: { code: reason, type: reason === 'error' ? 'server_error' : reason, message: 'the provider broke the answer off' },
        }),
      )
    }
    this.#builder.finish(this.#refused ? 'content_filter' : finishLabel(reason))
  }

  #usage(usage: unknown, alone: boolean): void {
    if (typeof usage !== 'object' || usage === null) return
    this.#builder.usage(readChatUsage(usage as Record<string, unknown>), alone)
  }
}

/** A word we do not know is an end of unknown kind, never an error. */
export function finishLabel(reason: string): FinishLabel {
  switch (reason) {
    case 'stop':
    case 'eos':
    case 'eos_token':
    case 'end_turn':
    case 'stop_sequence':
      return 'stop'
    case 'length':
    case 'max_tokens':
    case 'model_length':
      return 'length'
    case 'tool_calls':
    case 'tool_use':
    case 'function_call':
      return 'tool_calls'
    case 'content_filter':
    case 'refusal':
    case 'sensitive':
      return 'content_filter'
    default:
      return 'unknown'
  }
}

/** `prompt_tokens` holds cached and written tokens, `completion_tokens` the reasoning. */
export function readChatUsage(usage: Record<string, unknown>) {
  const details = (name: string): Record<string, unknown> =>
    typeof usage[name] === 'object' && usage[name] !== null ? (usage[name] as Record<string, unknown>) : {}
  const prompt = details('prompt_tokens_details')
  const input = usage['prompt_tokens']
  const reasoning = details('completion_tokens_details')['reasoning_tokens']
  const hit = usage['prompt_cache_hit_tokens'] ?? prompt['cached_tokens']
  const miss = usage['prompt_cache_miss_tokens'] ?? (typeof hit === 'number' && typeof input === 'number' ? input - hit : undefined)
  let output = usage['completion_tokens']
  // A few servers leave the reasoning out of `completion_tokens`; their total shows it.
  if (
    typeof output === 'number' &&
    typeof input === 'number' &&
    typeof reasoning === 'number' &&
    usage['total_tokens'] === input + output + reasoning
  )
    output += reasoning
  return normaliseUsage({
    input,
    output,
    total: usage['total_tokens'],
    cacheHit: hit,
    cacheMiss: miss,
    cacheWrite: prompt['cache_write_tokens'],
    reasoning,
  })
}
