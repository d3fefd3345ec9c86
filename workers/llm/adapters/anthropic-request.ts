/** Metona request → Anthropic Messages body. */
import type { MetonaModelInfo } from '#contracts/metona/metona-adapter.ts'
import type { MetonaImage, MetonaMessage, MetonaRequest, MetonaRequestParams } from '#contracts/metona/metona-request.ts'
import { systemText, toolResultText } from '../domain/message-text.ts'
import { pairToolCalls, type WireCall, type WireTurn } from '../domain/pair-tool-calls.ts'
import { claudeTraits, type ClaudeTraits } from './anthropic-models.ts'
import { isBlockMark, type BlockMark } from './anthropic-parser.ts'

type Block = Record<string, unknown> & { type: string }
interface WireMessage {
  readonly role: 'user' | 'assistant'
  readonly content: Block[]
}

/** Asked for when the person set no limit: long answers, yet far from the minutes a whole window takes. */
const DEFAULT_MAX_TOKENS = 64_000
/** The least budget the API takes, and the thinking that is worth its price at each effort. */
const MIN_BUDGET = 1_024
const budgets = { low: 4_096, medium: 12_288, high: 32_768 } as const
const CACHE = { type: 'ephemeral' } as const

export interface AnthropicBodyOptions {
  readonly stream: boolean
  /** False once the provider refused the thoughts of this conversation: it was edited, forked or compacted. */
  readonly replayThinking: boolean
  /** Room the provider said is left in the window. */
  readonly room?: number | undefined
}

export function anthropicBody(
  request: MetonaRequest,
  model: string,
  info: MetonaModelInfo,
  options: AnthropicBodyOptions,
): Record<string, unknown> {
  const { params } = request
  const traits = claudeTraits(model)
  const maxTokens = Math.min(params.maxTokens ?? DEFAULT_MAX_TOKENS, info.maxOutput, options.room ?? Infinity)
  const turns = pairToolCalls(request.messages)
  const leading = turns.findIndex((turn) => turn.role !== 'system')
  const systems = turns.slice(0, leading === -1 ? turns.length : leading)
  const tools = request.tools ?? []
  const forced = tools.length > 0 && params.toolChoice === 'required' && traits.thinking !== 'always'
  const messages = messagesOf(turns.slice(systems.length), options.replayThinking ? model : undefined)
  const thinking = thinkingField(params, traits, maxTokens, forced || (traits.thinking === 'budget' && isUnthoughtLoop(messages)))
  const thinks = thinking?.['type'] !== undefined && thinking['type'] !== 'disabled'
  return {
    model,
    max_tokens: maxTokens,
    ...systemField(request, systems),
    messages: cached(messages),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map((tool, index) => ({
            name: tool.name,
            description: tool.description,
            input_schema: { type: 'object', ...tool.parameters },
            ...(index === tools.length - 1 ? { cache_control: CACHE } : {}),
          })),
        }),
    ...(tools.length === 0 || params.toolChoice === undefined || params.toolChoice === 'auto'
      ? {}
      : params.toolChoice === 'none'
        ? { tool_choice: { type: 'none' } }
        : forced
          ? { tool_choice: { type: 'any' } }
          : {}),
    ...(thinking === undefined ? {} : { thinking }),
    ...outputConfig(params, traits),
    ...(traits.sampling && !thinks && params.temperature !== undefined ? { temperature: Math.min(params.temperature, 1) } : {}),
    ...(traits.sampling && !thinks && params.topP !== undefined ? { top_p: params.topP } : {}),
    ...stopField(params.stop),
    stream: options.stream,
  }
}

/**
 * Older models refuse to think in the middle of a tool loop that began without a thought (begun by another
 * model, or with thinking off).
 */
function isUnthoughtLoop(messages: readonly WireMessage[]): boolean {
  const answered = messages.at(-1)?.content.some((block) => block.type === 'tool_result') === true
  return answered && !isThinkingType(messages.at(-2)?.content[0]?.type)
}

/** A forced tool and thinking exclude each other: the tool was asked for by name, so it wins. */
function thinkingField(
  params: MetonaRequestParams,
  traits: ClaudeTraits,
  maxTokens: number,
  excluded: boolean,
): Record<string, unknown> | undefined {
  switch (traits.thinking) {
    case 'none':
      return undefined
    case 'always':
      return params.thinkingEnabled ? { type: 'adaptive', display: 'summarized' } : undefined
    case 'adaptive':
      return params.thinkingEnabled && !excluded ? { type: 'adaptive', display: 'summarized' } : { type: 'disabled' }
    case 'budget': {
      const budget = Math.min(budgets[params.thinkingEffort ?? 'medium'], Math.floor(maxTokens / 2))
      return params.thinkingEnabled && !excluded && budget >= MIN_BUDGET ? { type: 'enabled', budget_tokens: budget } : { type: 'disabled' }
    }
  }
}

function outputConfig(params: MetonaRequestParams, traits: ClaudeTraits): Record<string, unknown> {
  const format = params.responseFormat
  const config = {
    ...(traits.effort && params.thinkingEffort !== undefined ? { effort: params.thinkingEffort } : {}),
    ...(format?.type === 'json_schema' ? { format: { type: 'json_schema', schema: format.schema } } : {}),
  }
  return Object.keys(config).length === 0 ? {} : { output_config: config }
}

/** Stop strings of white space alone are refused. */
function stopField(stop: readonly string[] | undefined): Record<string, unknown> {
  const usable = (stop ?? []).filter((text) => text.trim() !== '')
  return usable.length === 0 ? {} : { stop_sequences: usable }
}

function systemField(request: MetonaRequest, turns: readonly WireTurn[]): Record<string, unknown> {
  const json = request.params.responseFormat?.type === 'json_object' ? 'Answer with one JSON object and nothing else.' : ''
  const text = [systemText(request.systemPrompt), ...turns.map((turn) => turn.message.content), json]
    .filter((part) => part.trim() !== '')
    .join('\n\n')
  return text === '' ? {} : { system: [{ type: 'text', text, cache_control: CACHE }] }
}

/**
 * Roles alternate, the first and the last message are the user's, no block is empty.
 * @param model whose thoughts go back; undefined: nobody's.
 */
function messagesOf(turns: readonly WireTurn[], model: string | undefined): WireMessage[] {
  const messages: WireMessage[] = []
  const add = (role: WireMessage['role'], content: readonly Block[]): void => {
    if (content.length === 0) return
    const last = messages.at(-1)
    if (last?.role === role) last.content.push(...content)
    else messages.push({ role, content: [...content] })
  }
  for (const turn of turns) {
    if (turn.role === 'user') add('user', [...imageBlocks(turn.message.images), ...textBlock(turn.message.content)])
    // The API has one system prompt; a later note of ours goes where the model reads it in order.
    else if (turn.role === 'system') add('user', textBlock(`[Note from the application]\n${turn.message.content}`))
    else {
      add('assistant', assistantBlocks(turn.message, turn.calls, model))
      add(
        'user',
        turn.results.map(({ wireId, result, images }) => {
          const content = [...textBlock(toolResultText(result)), ...imageBlocks(images)]
          return {
            type: 'tool_result',
            tool_use_id: wireId,
            ...(content.length === 0 ? {} : { content }),
            ...(result.success ? {} : { is_error: true }),
          }
        }),
      )
    }
  }
  if (messages[0]?.role !== 'user') messages.unshift({ role: 'user', content: [{ type: 'text', text: '(earlier conversation left out)' }] })
  // A last message of the assistant would be a prefill, which current models refuse.
  if (messages.at(-1)?.role === 'assistant') messages.push({ role: 'user', content: [{ type: 'text', text: 'Continue.' }] })
  return messages
}

/**
 * The assistant's turn as it was: thinking blocks unchanged and in place for the model that made them, left
 * out for any other. Marks say where text and calls stood between them.
 */
function assistantBlocks(message: MetonaMessage, calls: readonly WireCall[], model: string | undefined): Block[] {
  const state = message.providerState
  const marks = state?.provider === 'anthropic' && state.model === model ? state.blocks.filter(isBlockMark) : []
  const plain = [...textBlock(message.content), ...calls.map(toolUse)]
  if (marks.length === 0 || plain.length === 0) return plain
  const texts = marks.filter((mark) => mark.type === 'metona_text')
  const textLength = texts.reduce((sum, mark) => sum + mark.length, 0)
  // A text that was edited since does not fit its marks: then it stands whole, behind the first thoughts.
  const cutText = textLength === message.content.length
  let position = 0
  let textGiven = cutText
  const placed = new Set<WireCall>()
  const blocks: Block[] = []
  for (const mark of marks) {
    if (isThinking(mark)) blocks.push({ ...mark })
    else {
      if (!textGiven) blocks.push(...textBlock(message.content))
      textGiven = true
      if (mark.type === 'metona_text' && cutText) blocks.push(...textBlock(message.content.slice(position, (position += mark.length))))
      if (mark.type === 'metona_tool_use') {
        const call = calls.find((candidate) => candidate.call.providerCallId === mark.id && !placed.has(candidate))
        if (call !== undefined) blocks.push(toolUse(call))
        if (call !== undefined) placed.add(call)
      }
    }
  }
  if (!textGiven) blocks.push(...textBlock(message.content))
  blocks.push(...calls.filter((call) => !placed.has(call)).map(toolUse))
  // Thoughts that nothing follows any more (their call was dropped) cannot end a turn.
  while (blocks.length > 0 && isThinkingType(blocks.at(-1)?.type)) blocks.pop()
  return blocks
}

function isThinking(mark: BlockMark): mark is Extract<BlockMark, { type: 'thinking' | 'redacted_thinking' }> {
  return isThinkingType(mark.type)
}

function isThinkingType(type: string | undefined): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}

function toolUse({ call, wireId }: WireCall): Block {
  return { type: 'tool_use', id: wireId, name: call.name, input: call.args }
}

function textBlock(text: string): Block[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}

function imageBlocks(images: readonly MetonaImage[] | undefined): Block[] {
  return (images ?? []).map((image) => ({ type: 'image', source: { type: 'base64', media_type: image.mediaType, data: image.data } }))
}

/** Breakpoints on the last two user messages: this request writes the later one and reads the earlier. */
function cached(messages: WireMessage[]): WireMessage[] {
  const users = messages.filter((message) => message.role === 'user').slice(-2)
  for (const message of users) {
    const last = message.content.length - 1
    const block = message.content[last]
    if (block !== undefined) message.content[last] = { ...block, cache_control: CACHE }
  }
  return messages
}
