/** Metona request → Ollama's native chat body, and how large its context must be. */
import type { MetonaRequest, MetonaRequestParams } from '#contracts/metona/metona-request.ts'
import { systemText, toolResultText } from '../domain/message-text.ts'
import { pairToolCalls } from '../domain/pair-tool-calls.ts'

/** What `/api/show` says of a model; absent fields are not known. */
export interface OllamaModelFacts {
  /** Tokens the model was made for. */
  readonly contextLength?: number | undefined
  readonly tools?: boolean | undefined
  readonly thinking?: boolean | undefined
  readonly vision?: boolean | undefined
  /** `num_ctx` of the model's own file: never less is asked for. */
  readonly ownContext?: number | undefined
}

interface WireMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string
  thinking?: string
  images?: string[]
  tool_calls?: { id: string; function: { index: number; name: string; arguments: Record<string, unknown> } }[]
  tool_name?: string
  tool_call_id?: string
}

export interface OllamaBodyOptions {
  readonly stream: boolean
  readonly numCtx: number
  readonly facts: OllamaModelFacts
  /** False once the server said that the model cannot use tools. */
  readonly tools: boolean
}

export function ollamaBody(request: MetonaRequest, model: string, options: OllamaBodyOptions): Record<string, unknown> {
  const { params } = request
  const tools = options.tools && params.toolChoice !== 'none' ? (request.tools ?? []) : []
  const think = thinkField(params, model, options.facts)
  const format = params.responseFormat
  return {
    model,
    messages: ollamaMessages(request),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map((tool) => ({
            type: 'function',
            function: { name: tool.name, description: tool.description, parameters: tool.parameters },
          })),
        }),
    ...(format?.type === 'json_schema' ? { format: format.schema } : format?.type === 'json_object' ? { format: 'json' } : {}),
    ...(think === undefined ? {} : { think }),
    // Without this the server drops the oldest messages and says nothing; older servers do not know it.
    truncate: false,
    options: {
      num_ctx: options.numCtx,
      ...(params.maxTokens === undefined ? {} : { num_predict: params.maxTokens }),
      ...(params.temperature === undefined ? {} : { temperature: params.temperature }),
      ...(params.topP === undefined ? {} : { top_p: params.topP }),
      ...(params.stop === undefined || params.stop.length === 0 ? {} : { stop: params.stop }),
    },
    stream: options.stream,
  }
}

/**
 * Left out where it is not known that the model can think: the server then decides, and `true` would be
 * refused. gpt-oss knows levels only and cannot be switched off.
 */
function thinkField(params: MetonaRequestParams, model: string, facts: OllamaModelFacts): boolean | string | undefined {
  if (/(?:^|\/)gpt-oss/.test(model)) return params.thinkingEnabled ? (params.thinkingEffort ?? 'medium') : 'low'
  if (!params.thinkingEnabled) return facts.thinking === false ? undefined : false
  return facts.thinking === true ? true : undefined
}

export function ollamaMessages(request: MetonaRequest): WireMessage[] {
  const messages: WireMessage[] = []
  const system = systemText(request.systemPrompt)
  if (system !== '') messages.push({ role: 'system', content: system })
  for (const turn of pairToolCalls(request.messages)) {
    if (turn.role !== 'assistant') {
      const images = turn.message.images ?? []
      messages.push({
        role: turn.role,
        content: turn.message.content,
        ...(images.length === 0 ? {} : { images: images.map((image) => image.data) }),
      })
      continue
    }
    if (turn.message.content !== '' || turn.calls.length > 0) {
      messages.push({
        role: 'assistant',
        content: turn.message.content,
        ...(turn.calls.length > 0 && turn.message.thinking !== undefined && turn.message.thinking.content !== ''
          ? { thinking: turn.message.thinking.content }
          : {}),
        ...(turn.calls.length === 0
          ? {}
          : {
              tool_calls: turn.calls.map(({ call, wireId }, index) => ({
                id: wireId,
                function: { index, name: call.name, arguments: call.args },
              })),
            }),
      })
    }
    for (const [index, { wireId, result, images }] of turn.results.entries()) {
      messages.push({
        role: 'tool',
        content: toolResultText(result),
        tool_name: turn.calls[index]?.call.name ?? result.toolName,
        tool_call_id: wireId,
        ...(images.length === 0 ? {} : { images: images.map((image) => image.data) }),
      })
    }
  }
  return messages
}

/** What a prompt may weigh, in tokens of a tokenizer nobody here has: certainly more than `least`, hardly more than `most`. */
export interface PromptWeight {
  readonly least: number
  readonly most: number
}

/** UTF-8 bytes per token: 6 is plain prose at its lightest, 3 is dense code or one Chinese character a token. */
const LIGHT_BYTES = 6
const DENSE_BYTES = 3
const PER_MESSAGE = 8
const IMAGE = { least: 64, most: 1_200 } as const

export function promptWeight(request: MetonaRequest): PromptWeight {
  let bytes = request.tools === undefined ? 0 : utf8Length(JSON.stringify(request.tools))
  let images = 0
  const messages = ollamaMessages(request)
  for (const message of messages) {
    bytes +=
      utf8Length(message.content) +
      utf8Length(message.thinking ?? '') +
      (message.tool_calls === undefined ? 0 : utf8Length(JSON.stringify(message.tool_calls)))
    images += message.images?.length ?? 0
  }
  return {
    least: Math.floor(bytes / LIGHT_BYTES) + images * IMAGE.least,
    most: Math.ceil(bytes / DENSE_BYTES) + images * IMAGE.most + messages.length * PER_MESSAGE,
  }
}

/** Room kept for the answer when the person set no limit. */
const ANSWER_TOKENS = 4_096
const SMALLEST_CONTEXT = 4_096

/**
 * A power of two, so that a growing conversation reloads the model a few times only.
 * @param atLeast what was asked for before, or the model's own setting: shrinking would reload it too.
 * @param limit tokens the model can hold.
 */
export function contextFor(weight: PromptWeight, maxTokens: number | undefined, atLeast: number, limit: number): number {
  const needed = Math.max(weight.most + (maxTokens ?? ANSWER_TOKENS), atLeast, SMALLEST_CONTEXT)
  return Math.min(2 ** Math.ceil(Math.log2(needed)), Math.max(limit, SMALLEST_CONTEXT / 2))
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length
}
