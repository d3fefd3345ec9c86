/** Reads an OpenAI Responses answer. Text and arguments come up to three times: deltas are used, the rest is checked against them. */
import type { Frame } from '../domain/frame.ts'
import { mapFailure } from '../domain/map-error.ts'
import { normaliseUsage } from '../domain/usage.ts'
import type { WireContext, WireParser } from './wire-parser.ts'

/** What is kept of an answer with reasoning, in order: the reasoning items, and marks where the rest stood. */
export type ItemMark =
  | ({ type: 'reasoning' } & Record<string, unknown>)
  | { type: 'metona_message'; length: number; phase?: string }
  | { type: 'metona_function_call'; id: string }

export function isItemMark(value: unknown): value is ItemMark {
  if (typeof value !== 'object' || value === null) return false
  const mark = value as Record<string, unknown>
  if (mark['type'] === 'reasoning') return true
  if (mark['type'] === 'metona_message') return typeof mark['length'] === 'number'
  return mark['type'] === 'metona_function_call' && typeof mark['id'] === 'string'
}

interface Part {
  type?: string
  text?: string
  refusal?: string
}

interface OutputItem {
  id?: string
  type?: string
  call_id?: string
  name?: string
  arguments?: string
  content?: Part[]
  summary?: Part[]
  phase?: string
  [key: string]: unknown
}

interface FinalResponse {
  status?: string
  output?: OutputItem[]
  usage?: {
    input_tokens?: number
    output_tokens?: number
    total_tokens?: number
    input_tokens_details?: { cached_tokens?: number; cache_write_tokens?: number } | null
    output_tokens_details?: { reasoning_tokens?: number } | null
  } | null
  error?: unknown
  incomplete_details?: { reason?: string } | null
}

interface Payload {
  type?: string
  output_index?: number
  item_id?: string
  item?: OutputItem
  summary_index?: number
  delta?: string
  text?: string
  arguments?: string
  refusal?: string
  response?: FinalResponse
  error?: unknown
}

/** What was received of one output item. */
interface OpenItem {
  readonly key: number
  type: string
  text: string
  refusal: string
  reasoning: string
  argumentsText: string
  done: boolean
}

export function createResponsesParser(context: WireContext, provider: string): WireParser {
  const { builder } = context
  const items = new Map<number, OpenItem>()
  const keyOfId = new Map<string, number>()
  /** Marks before the first reasoning item: worth keeping only when one follows. */
  let waiting: ItemMark[] | undefined = []
  let refused = false
  let called = false

  const keep = (mark: ItemMark): void => {
    if (waiting === undefined) return builder.state(mark)
    waiting.push(mark)
    if (mark.type !== 'reasoning') return
    for (const earlier of waiting) builder.state(earlier)
    waiting = undefined
  }

  /** By `output_index`, since some gateways change the item ids in every event; by id only where there is no index. */
  const itemOf = (payload: { output_index?: number; item_id?: string; item?: OutputItem }, type: string): OpenItem => {
    const id = payload.item_id ?? payload.item?.id
    const key =
      payload.output_index ??
      (id === undefined ? undefined : keyOfId.get(id)) ??
      (id === undefined ? Math.max(0, items.size - 1) : items.size)
    if (id !== undefined) keyOfId.set(id, key)
    let item = items.get(key)
    if (item === undefined) {
      item = { key, type, text: '', refusal: '', reasoning: '', argumentsText: '', done: false }
      items.set(key, item)
    }
    return item
  }

  const addText = (item: OpenItem, delta: string): void => {
    item.text += delta
    builder.text(delta)
  }
  /** A refusal is read by the person like text; the end of the answer says what it was. */
  const addRefusal = (item: OpenItem, delta: string): void => {
    if (delta !== '') refused = true
    item.refusal += delta
    builder.text(delta)
  }
  const addReasoning = (item: OpenItem, delta: string): void => {
    item.reasoning += delta
    builder.reasoning(delta)
  }
  const addArguments = (item: OpenItem, delta: string): void => {
    item.argumentsText += delta
    builder.toolCall({ index: item.key, arguments: delta })
  }
  /** What a `done` says beyond the deltas is added; a contradiction makes the answer unusable. */
  const complete = (item: OpenItem, received: string, whole: string | undefined, add: (item: OpenItem, rest: string) => void): void => {
    if (whole === undefined || whole === received) return
    if (whole.startsWith(received)) return add(item, whole.slice(received.length))
    builder.fail({ code: 'invalid_response', message: 'the provider sent one answer in two versions', provider, retryable: true })
  }

  const openItem = (item: OpenItem, source: OutputItem): void => {
    item.type = source.type ?? item.type
    if (source.type !== 'function_call') return
    called = true
    builder.toolCall({ index: item.key, id: source.call_id ?? source.id, name: source.name })
  }

  const closeItem = (item: OpenItem, source: OutputItem): void => {
    if (item.done) return
    openItem(item, source)
    item.done = true
    switch (source.type) {
      case 'function_call':
        complete(item, item.argumentsText, source.arguments, addArguments)
        return keep({ type: 'metona_function_call', id: source.call_id ?? source.id ?? '' })
      case 'message': {
        const parts = source.content ?? []
        const joined = (name: 'text' | 'refusal'): string => parts.map((part) => part[name] ?? '').join('')
        if (source.content !== undefined) complete(item, item.text, joined('text'), addText)
        if (source.content !== undefined) complete(item, item.refusal, joined('refusal'), addRefusal)
        if (item.text !== '')
          keep({ type: 'metona_message', length: item.text.length, ...(source.phase === undefined ? {} : { phase: source.phase }) })
        return
      }
      case 'reasoning': {
        if (item.reasoning === '') addReasoning(item, (source.summary ?? []).map((part) => part.text ?? '').join('\n\n'))
        const { status: _status, ...block } = source
        return keep({ ...block, type: 'reasoning' })
      }
    }
  }

  const readUsage = (usage: FinalResponse['usage']): void => {
    if (usage === null || usage === undefined) return
    const details = usage.input_tokens_details
    builder.usage(
      normaliseUsage({
        input: usage.input_tokens,
        output: usage.output_tokens,
        total: usage.total_tokens,
        cacheHit: details?.cached_tokens,
        cacheWrite: details?.cache_write_tokens,
        reasoning: usage.output_tokens_details?.reasoning_tokens,
      }),
    )
  }

  const fail = (error: unknown): void => builder.fail(mapFailure({ provider, model: context.model, body: error }))

  const conclude = (response: FinalResponse): void => {
    readUsage(response.usage)
    switch (response.status) {
      case 'failed':
        return fail(response.error)
      case 'cancelled':
        return builder.fail({
          code: 'network_error',
          message: 'the provider cancelled the answer',
          provider,
          providerCode: 'cancelled',
          retryable: true,
        })
      case 'incomplete': {
        const reason = response.incomplete_details?.reason
        builder.finish(reason === 'max_output_tokens' ? 'length' : reason === 'content_filter' ? 'content_filter' : 'unknown')
        return builder.end()
      }
      default: {
        // Some gateways send nothing but this event: what was not streamed is in its output.
        for (const [index, item] of (response.output ?? []).entries())
          closeItem(itemOf({ output_index: index, item }, item.type ?? ''), item)
        builder.finish(refused ? 'content_filter' : called ? 'tool_calls' : 'stop')
        builder.end()
      }
    }
  }

  return {
    feed: (frame: Frame) => {
      if (frame.data.trim() === '[DONE]') return
      const payload = JSON.parse(frame.data) as Payload
      switch (payload.type) {
        case 'response.output_item.added':
          if (payload.item !== undefined) openItem(itemOf(payload, payload.item.type ?? ''), payload.item)
          return
        case 'response.output_text.delta':
          return addText(itemOf(payload, 'message'), payload.delta ?? '')
        case 'response.refusal.delta':
          return addRefusal(itemOf(payload, 'message'), payload.delta ?? '')
        case 'response.reasoning_summary_part.added':
          if ((payload.summary_index ?? 0) > 0 && itemOf(payload, 'reasoning').reasoning !== '')
            addReasoning(itemOf(payload, 'reasoning'), '\n\n')
          return
        case 'response.reasoning_summary_text.delta':
        case 'response.reasoning_text.delta':
          return addReasoning(itemOf(payload, 'reasoning'), payload.delta ?? '')
        case 'response.function_call_arguments.delta':
          return addArguments(itemOf(payload, 'function_call'), payload.delta ?? '')
        case 'response.function_call_arguments.done': {
          const item = itemOf(payload, 'function_call')
          return complete(item, item.argumentsText, payload.arguments, addArguments)
        }
        case 'response.output_item.done':
          if (payload.item !== undefined) closeItem(itemOf(payload, payload.item.type ?? ''), payload.item)
          return
        case 'response.completed':
        case 'response.incomplete':
        case 'response.failed':
          return conclude({ status: payload.type.slice('response.'.length), ...payload.response })
        case 'error':
          return fail(payload.error ?? payload)
        default:
          // Other events repeat what these say, or are new; an error may hide in any shape.
          if (payload.error !== undefined && payload.error !== null) fail(payload)
      }
    },
    document: (body) => {
      const document = body as FinalResponse & { object?: string }
      if (document.error !== undefined && document.error !== null) return fail(document)
      if (!Array.isArray(document.output))
        return builder.fail({ code: 'invalid_response', message: 'the answer is no Responses object', provider, retryable: true })
      if (document.status === 'incomplete')
        for (const [index, item] of document.output.entries()) closeItem(itemOf({ output_index: index, item }, item.type ?? ''), item)
      conclude(document)
    },
  }
}
