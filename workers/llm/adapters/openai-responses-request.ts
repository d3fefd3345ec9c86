/** Metona request → OpenAI Responses body. Stateless: nothing is stored at the provider, reasoning travels encrypted. */
import type { MetonaImage, MetonaMessage, MetonaRequest, MetonaRequestParams } from '#contracts/metona/metona-request.ts'
import { systemText, toolResultText } from '../domain/message-text.ts'
import { pairToolCalls, type WireCall } from '../domain/pair-tool-calls.ts'
import { fitsStrict } from '../domain/strict-schema.ts'
import { openAiTraits, type OpenAiTraits } from './openai-models.ts'
import { isItemMark } from './openai-responses-parser.ts'

type Item = Record<string, unknown> & { type: string }

export interface ResponsesOptions {
  readonly provider: string
  readonly stream: boolean
  /** OpenAI's own address: takes fields that compatible servers may refuse. */
  readonly official: boolean
  /** Off once the provider refused the reasoning of this conversation (another account or organisation). */
  readonly replayReasoning: boolean
  /** Off once the account was told that it may not see summaries. */
  readonly summaries: boolean
}

/** The API's own floor for `max_output_tokens`. */
const MIN_OUTPUT_TOKENS = 16

export function responsesBody(request: MetonaRequest, model: string, options: ResponsesOptions): Record<string, unknown> {
  const { params } = request
  const traits = openAiTraits(model)
  const tools = request.tools ?? []
  const instructions = systemText(request.systemPrompt)
  return {
    model,
    ...(instructions === '' ? {} : { instructions }),
    input: inputItems(request.messages, options.replayReasoning ? options.provider : undefined, model),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map((tool) => ({
            type: 'function',
            name: tool.name,
            description: tool.description,
            parameters: { type: 'object', properties: {}, ...tool.parameters },
            strict: fitsStrict(tool.parameters),
          })),
        }),
    ...(tools.length === 0 || params.toolChoice === undefined ? {} : { tool_choice: params.toolChoice }),
    ...(params.maxTokens === undefined ? {} : { max_output_tokens: Math.max(params.maxTokens, MIN_OUTPUT_TOKENS) }),
    ...reasoningFields(params, traits, options.summaries),
    ...samplingFields(params, traits),
    ...textField(params),
    store: false,
    stream: options.stream,
    ...(options.official ? { prompt_cache_key: request.meta.sessionId } : {}),
    ...(options.official && options.stream ? { stream_options: { include_obfuscation: false } } : {}),
  }
}

function reasoningFields(params: MetonaRequestParams, traits: OpenAiTraits, summaries: boolean): Record<string, unknown> {
  if (!traits.reasoning) return {}
  const effort = params.thinkingEnabled ? params.thinkingEffort : traits.off
  const reasoning = { ...(effort === undefined ? {} : { effort }), ...(params.thinkingEnabled && summaries ? { summary: 'auto' } : {}) }
  return { ...(Object.keys(reasoning).length === 0 ? {} : { reasoning }), include: ['reasoning.encrypted_content'] }
}

function samplingFields(params: MetonaRequestParams, traits: OpenAiTraits): Record<string, unknown> {
  if (traits.sampling === 'never' || (traits.sampling === 'without_thinking' && params.thinkingEnabled)) return {}
  return {
    ...(params.temperature === undefined ? {} : { temperature: params.temperature }),
    ...(params.topP === undefined ? {} : { top_p: params.topP }),
  }
}

function textField(params: MetonaRequestParams): Record<string, unknown> {
  const format = params.responseFormat
  if (format?.type === 'json_schema')
    return { text: { format: { type: 'json_schema', name: format.name, schema: format.schema, strict: fitsStrict(format.schema) } } }
  return format?.type === 'json_object' ? { text: { format: { type: 'json_object' } } } : {}
}

/** @param provider whose reasoning goes back; undefined: nobody's. */
function inputItems(messages: readonly MetonaMessage[], provider: string | undefined, model: string): Item[] {
  return pairToolCalls(messages).flatMap((turn): Item[] => {
    if (turn.role === 'system') return message('developer', inputText(turn.message.content))
    if (turn.role === 'user') return message('user', [...inputText(turn.message.content), ...inputImages(turn.message.images)])
    const outputs = turn.results.map(({ wireId, result, images }): Item => {
      const text = toolResultText(result)
      return {
        type: 'function_call_output',
        call_id: wireId,
        output: images.length === 0 ? text : [...inputText(text), ...inputImages(images)],
      }
    })
    return [...assistantItems(turn.message, turn.calls, provider, model), ...outputs]
  })
}

/**
 * The assistant's items as they were. A reasoning item goes back unchanged, in place, and only together with
 * the item that followed it: alone, or without its encrypted content, it is refused.
 */
function assistantItems(source: MetonaMessage, calls: readonly WireCall[], provider: string | undefined, model: string): Item[] {
  const state = source.providerState
  const marks = state !== undefined && state.provider === provider && state.model === model ? state.blocks.filter(isItemMark) : []
  const texts = marks.filter((mark) => mark.type === 'metona_message')
  const cutText = texts.reduce((sum, mark) => sum + mark.length, 0) === source.content.length
  let position = 0
  let textGiven = cutText
  const placed = new Set<WireCall>()
  const items: Item[] = []
  for (const mark of marks) {
    switch (mark.type) {
      case 'reasoning':
        if (typeof mark['encrypted_content'] === 'string') items.push({ ...mark })
        break
      case 'metona_message':
        if (!textGiven) items.push(...assistantText(source.content))
        else if (cutText) items.push(...assistantText(source.content.slice(position, (position += mark.length)), mark.phase))
        textGiven = true
        break
      case 'metona_function_call': {
        const call = calls.find((candidate) => candidate.call.providerCallId === mark.id && !placed.has(candidate))
        if (call === undefined) break
        if (!textGiven) items.push(...assistantText(source.content))
        textGiven = true
        placed.add(call)
        items.push(functionCall(call))
      }
    }
  }
  if (marks.length === 0 || !textGiven) items.push(...assistantText(source.content))
  items.push(...calls.filter((call) => !placed.has(call)).map(functionCall))
  return items.filter(
    (item, index) =>
      item.type !== 'reasoning' || (items[index + 1] !== undefined && items.slice(index + 1).some((later) => later.type !== 'reasoning')),
  )
}

function functionCall({ call, wireId }: WireCall): Item {
  return { type: 'function_call', call_id: wireId, name: call.name, arguments: JSON.stringify(call.args) }
}

function assistantText(text: string, phase?: string): Item[] {
  return text === ''
    ? []
    : [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }], ...(phase === undefined ? {} : { phase }) }]
}

function message(role: string, content: readonly Record<string, unknown>[]): Item[] {
  return content.length === 0 ? [] : [{ type: 'message', role, content }]
}

function inputText(text: string): Record<string, unknown>[] {
  return text === '' ? [] : [{ type: 'input_text', text }]
}

function inputImages(images: readonly MetonaImage[] | undefined): Record<string, unknown>[] {
  return (images ?? []).map((image) => ({ type: 'input_image', image_url: `data:${image.mediaType};base64,${image.data}`, detail: 'auto' }))
}
