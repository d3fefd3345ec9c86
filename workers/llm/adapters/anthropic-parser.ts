/** Reads an Anthropic Messages answer. */
import type { FinishLabel } from '../domain/conclude-answer.ts'
import type { Frame } from '../domain/frame.ts'
import { mapFailure } from '../domain/map-error.ts'
import { normaliseUsage } from '../domain/usage.ts'
import type { WireContext, WireParser } from './wire-parser.ts'

/** What is kept of an answer with thoughts, in order: the thoughts themselves, and marks where the rest stood. */
export type BlockMark =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'metona_text'; length: number }
  | { type: 'metona_tool_use'; id: string }

export function isBlockMark(value: unknown): value is BlockMark {
  if (typeof value !== 'object' || value === null) return false
  const mark = value as Record<string, unknown>
  switch (mark['type']) {
    case 'thinking':
      return typeof mark['thinking'] === 'string' && typeof mark['signature'] === 'string' && mark['signature'] !== ''
    case 'redacted_thinking':
      return typeof mark['data'] === 'string'
    case 'metona_text':
      return typeof mark['length'] === 'number'
    case 'metona_tool_use':
      return typeof mark['id'] === 'string'
    default:
      return false
  }
}

interface Usage {
  input_tokens?: number | null
  output_tokens?: number | null
  cache_creation_input_tokens?: number | null
  cache_read_input_tokens?: number | null
  cache_creation?: { ephemeral_1h_input_tokens?: number | null } | null
  output_tokens_details?: { thinking_tokens?: number | null } | null
}

interface ContentBlock {
  type: string
  text?: string
  thinking?: string
  signature?: string
  data?: string
  id?: string
  name?: string
  input?: unknown
}

interface Payload {
  type?: string
  index?: number
  message?: { usage?: Usage | null }
  content_block?: ContentBlock
  delta?: {
    type?: string
    text?: string
    thinking?: string
    signature?: string
    partial_json?: string
    stop_reason?: string | null
    stop_details?: { category?: string | null } | null
  }
  usage?: Usage | null
  error?: unknown
}

interface Document {
  type?: string
  error?: unknown
  content?: ContentBlock[]
  usage?: Usage | null
  stop_reason?: string | null
  stop_details?: { category?: string | null } | null
}

interface OpenBlock {
  readonly block: ContentBlock
  textLength: number
  thinking: string
  signature: string
  argumentsSeen: boolean
}

export function createAnthropicParser(context: WireContext): WireParser {
  const { builder } = context
  const open = new Map<number, OpenBlock>()
  /** Marks before the first thought: worth keeping only when a thought follows. */
  let waiting: BlockMark[] | undefined = []
  let usage: Usage = {}

  const keep = (mark: BlockMark): void => {
    if (waiting === undefined) return builder.state(mark)
    waiting.push(mark)
    if (mark.type !== 'thinking' && mark.type !== 'redacted_thinking') return
    for (const earlier of waiting) builder.state(earlier)
    waiting = undefined
  }

  const startBlock = (index: number, block: ContentBlock): void => {
    const entry: OpenBlock = { block, textLength: 0, thinking: '', signature: block.signature ?? '', argumentsSeen: false }
    open.set(index, entry)
    if (block.type === 'text') text(entry, block.text)
    if (block.type === 'thinking') think(entry, block.thinking)
    if (block.type === 'tool_use') builder.toolCall({ index, id: block.id, name: block.name })
  }
  /** Some gateways leave the start of a block out. */
  const openBlock = (index: number, type: string): OpenBlock => {
    if (!open.has(index)) startBlock(index, { type })
    return open.get(index) as OpenBlock
  }
  const text = (entry: OpenBlock, delta: string | undefined): void => {
    entry.textLength += delta?.length ?? 0
    builder.text(delta ?? '')
  }
  const think = (entry: OpenBlock, delta: string | undefined): void => {
    entry.thinking += delta ?? ''
    builder.reasoning(delta ?? '')
  }
  const stopBlock = (index: number): void => {
    const entry = open.get(index)
    if (entry === undefined) return
    open.delete(index)
    const { block } = entry
    if (block.type === 'thinking' && entry.signature !== '')
      keep({ type: 'thinking', thinking: entry.thinking, signature: entry.signature })
    if (block.type === 'redacted_thinking') keep({ type: 'redacted_thinking', data: block.data ?? '' })
    if (block.type === 'text' && entry.textLength > 0) keep({ type: 'metona_text', length: entry.textLength })
    if (block.type === 'tool_use') {
      // Some gateways put the whole input into the start of the block.
      if (!entry.argumentsSeen && typeof block.input === 'object' && block.input !== null && Object.keys(block.input).length > 0)
        builder.toolCall({ index, arguments: block.input })
      keep({ type: 'metona_tool_use', id: block.id ?? '' })
    }
  }

  const readUsage = (report: Usage | null | undefined): void => {
    if (report === null || report === undefined) return
    usage = { ...usage, ...Object.fromEntries(Object.entries(report).filter(([, value]) => value !== null)) }
    const hit = usage.cache_read_input_tokens ?? 0
    const write = usage.cache_creation_input_tokens ?? 0
    const miss = usage.input_tokens ?? 0
    builder.usage(
      normaliseUsage({
        input: miss + hit + write,
        output: usage.output_tokens,
        cacheHit: usage.cache_read_input_tokens,
        cacheMiss: usage.input_tokens,
        cacheWrite: usage.cache_creation_input_tokens,
        cacheWriteLong: usage.cache_creation?.ephemeral_1h_input_tokens,
        reasoning: usage.output_tokens_details?.thinking_tokens,
      }),
    )
  }

  const stop = (reason: string | null | undefined, details: { category?: string | null } | null | undefined): void => {
    if (reason === null || reason === undefined || reason === '') return
    if (reason === 'model_context_window_exceeded') {
      builder.fail({
        code: 'context_length_exceeded',
        message: "the conversation filled the model's context window before the answer was complete",
        provider: 'anthropic',
        providerCode: reason,
        retryable: false,
      })
      return
    }
    if (reason === 'refusal')
      builder.notice({
        code: 'refusal',
        message: details?.category ? `the model refused to answer (${details.category})` : 'the model refused to answer',
        params: { category: details?.category ?? '' },
      })
    builder.finish(labels[reason] ?? 'unknown')
  }

  const fail = (error: unknown): void => builder.fail(mapFailure({ provider: 'anthropic', model: context.model, body: error }))

  return {
    feed: (frame: Frame) => {
      const payload = JSON.parse(frame.data) as Payload
      const index = payload.index ?? 0
      // A gateway's error need not be wrapped as Anthropic wraps it.
      if (payload.error !== undefined && payload.error !== null) return fail(payload)
      switch (payload.type) {
        case 'message_start':
          return readUsage(payload.message?.usage)
        case 'content_block_start':
          if (payload.content_block !== undefined) startBlock(index, payload.content_block)
          return
        case 'content_block_delta': {
          const { delta } = payload
          if (delta?.type === 'input_json_delta') {
            const entry = open.get(index)
            if (entry !== undefined && delta.partial_json !== undefined && delta.partial_json !== '') entry.argumentsSeen = true
            builder.toolCall({ index, arguments: delta.partial_json })
            return
          }
          if (delta?.type === 'text_delta') text(openBlock(index, 'text'), delta.text)
          if (delta?.type === 'thinking_delta') think(openBlock(index, 'thinking'), delta.thinking)
          if (delta?.type === 'signature_delta') openBlock(index, 'thinking').signature += delta.signature ?? ''
          return
        }
        case 'content_block_stop':
          return stopBlock(index)
        case 'message_delta':
          readUsage(payload.usage)
          return stop(payload.delta?.stop_reason, payload.delta?.stop_details)
        case 'message_stop':
          for (const left of [...open.keys()].sort((a, b) => a - b)) stopBlock(left)
          return builder.end()
        default:
          // `ping` may come anywhere, and new types may come any day.
          return
      }
    },
    document: (body) => {
      const document = body as Document
      if (document.type === 'error' || document.error !== undefined) return fail(body)
      if (!Array.isArray(document.content))
        return builder.fail({
          code: 'invalid_response',
          message: 'the answer is no Anthropic message',
          provider: 'anthropic',
          retryable: true,
        })
      for (const [index, block] of document.content.entries()) {
        startBlock(index, block)
        stopBlock(index)
      }
      readUsage(document.usage)
      stop(document.stop_reason, document.stop_details)
      builder.end()
    },
  }
}

const labels: Readonly<Record<string, FinishLabel>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
}
