/** Writes a request in the Chat Completions form. What differs between servers is a dialect. */
import type { MetonaImage, MetonaMessage } from '#contracts/metona/metona-request.ts'
import { systemText, toolResultText } from '../domain/message-text.ts'
import { pairToolCalls, type WireTurn } from '../domain/pair-tool-calls.ts'
import type { WireContext } from './wire-parser.ts'

export interface ChatDialect {
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** `content` of an assistant message that has tool calls and no text. */
  readonly emptyContent: null | ''
  /** `reasoning_content` of earlier assistant messages is sent back. */
  readonly reasoningBack: (context: WireContext) => boolean
  /** Whether `json_schema` may be sent; else it becomes `json_object` with the schema in the prompt. */
  readonly jsonSchema: boolean
  readonly streamOptions: boolean
  /** The model takes `temperature` and `top_p` in this request. */
  readonly sampling: (context: WireContext) => boolean
  /** Fields only this provider has (thinking switches and the like). */
  readonly extra: (context: WireContext) => Record<string, unknown>
}

type Body = Record<string, unknown>

export function buildChatBody(context: WireContext, dialect: ChatDialect): Body {
  const { request, model, stream } = context
  const { params } = request
  const tools = request.tools ?? []
  const body: Body = { model, messages: chatMessages(context, dialect), stream }
  if (stream && dialect.streamOptions) body['stream_options'] = { include_usage: true }
  if (tools.length > 0) {
    body['tools'] = tools.map(({ name, description, parameters }) => ({ type: 'function', function: { name, description, parameters } }))
    if (params.toolChoice !== undefined) body['tool_choice'] = params.toolChoice
  }
  if (params.maxTokens !== undefined) body[dialect.maxTokensField] = params.maxTokens
  if (dialect.sampling(context)) {
    if (params.temperature !== undefined) body['temperature'] = params.temperature
    if (params.topP !== undefined) body['top_p'] = params.topP
  }
  if (params.stop !== undefined && params.stop.length > 0) body['stop'] = params.stop
  const format = params.responseFormat
  if (format?.type === 'json_object' || (format?.type === 'json_schema' && !dialect.jsonSchema))
    body['response_format'] = { type: 'json_object' }
  else if (format?.type === 'json_schema')
    body['response_format'] = { type: 'json_schema', json_schema: { name: format.name, schema: format.schema, strict: true } }
  return { ...body, ...dialect.extra(context) }
}

function chatMessages(context: WireContext, dialect: ChatDialect): Body[] {
  const { request } = context
  const system = [systemText(request.systemPrompt), formatInstruction(context, dialect)].filter((part) => part !== '').join('\n\n')
  const messages: Body[] = system === '' ? [] : [{ role: 'system', content: system }]
  const reasoningBack = dialect.reasoningBack(context)
  for (const turn of pairToolCalls(request.messages)) messages.push(...turnMessages(turn, context, dialect, reasoningBack))
  return messages
}

function turnMessages(turn: WireTurn, context: WireContext, dialect: ChatDialect, reasoningBack: boolean): Body[] {
  if (turn.role === 'system') return [{ role: 'system', content: turn.message.content }]
  if (turn.role === 'user') return [{ role: 'user', content: withImages(turn.message.content, turn.message.images ?? [], context) }]
  const { message, calls, results } = turn
  const reasoning = reasoningBack ? { reasoning_content: ownReasoning(message, context) } : {}
  if (calls.length === 0) {
    // An answer of thoughts alone is kept where thoughts go back; elsewhere it would be an empty message.
    if (message.content === '' && !(reasoningBack && reasoning.reasoning_content !== '')) return []
    return [{ role: 'assistant', content: message.content, ...reasoning }]
  }
  const images = results.flatMap((result) => result.images)
  return [
    {
      role: 'assistant',
      content: message.content === '' ? dialect.emptyContent : message.content,
      ...reasoning,
      tool_calls: calls.map(({ call, wireId }) => ({
        id: wireId,
        type: 'function',
        function: { name: call.name, arguments: JSON.stringify(call.args) },
      })),
    },
    ...results.map(({ wireId, result }) => ({ role: 'tool', tool_call_id: wireId, content: toolResultText(result) })),
    // This wire takes no pictures in a tool message.
    ...(images.length > 0 ? [{ role: 'user', content: withImages('Images returned by the tools above:', images, context) }] : []),
  ]
}

/** Thoughts of another provider's model are not this one's. */
function ownReasoning(message: MetonaMessage, context: WireContext): string {
  const foreign = message.providerState !== undefined && message.providerState.provider !== context.info.providerId
  return foreign ? '' : (message.thinking?.content ?? '')
}

function withImages(text: string, images: readonly MetonaImage[], context: WireContext): string | Body[] {
  if (images.length === 0) return text
  if (!context.info.supportsImages) {
    context.builder.notice({
      code: 'images_left_out',
      message: `${context.model} cannot see images; they were left out`,
      params: { model: context.model },
    })
    return `${text}\n[${images.length} image(s) left out: this model cannot see images]`
  }
  const parts: Body[] = images.map((image) => ({ type: 'image_url', image_url: { url: `data:${image.mediaType};base64,${image.data}` } }))
  return text === '' ? parts : [{ type: 'text', text }, ...parts]
}

/** `json_object` needs the word JSON in the prompt, else the model may write white space until the limit. */
function formatInstruction(context: WireContext, dialect: ChatDialect): string {
  const format = context.request.params.responseFormat
  if (format?.type === 'json_schema')
    return dialect.jsonSchema
      ? ''
      : `Answer with one JSON object that fits this JSON schema and nothing else:\n${JSON.stringify(format.schema)}`
  if (format?.type !== 'json_object') return ''
  const says = [systemText(context.request.systemPrompt), ...context.request.messages.map((message) => message.content)].some((text) =>
    /json/i.test(text),
  )
  return says ? '' : 'Answer with one JSON object and nothing else.'
}
