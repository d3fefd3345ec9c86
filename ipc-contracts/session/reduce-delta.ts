/** The part of the fold that deals with what is not durable. Changes the draft in place. */
import type { MetonaStreamEvent } from '../metona/metona-response.ts'
import type { SessionSnapshot } from './session-snapshot.ts'
import type { StreamDelta } from './stream-delta.ts'
import { findItem, putItem, type AssistantItem } from './transcript-items.ts'

/** UTF-16 code units of live output kept for display; the whole goes to the result and its file. */
const LIVE_OUTPUT_LIMIT = 64 * 1024

export function reduceDelta(draft: SessionSnapshot, delta: StreamDelta): void {
  switch (delta.delta) {
    case 'stream':
      return reduceStream(draft, delta.messageId, delta.iteration, delta.event)
    case 'tool_output': {
      const item = findItem(draft.items, 'tool', delta.toolCallId)
      if (item === undefined) return
      const text = (item.liveOutput ?? '') + delta.text
      putItem(draft.items, { ...item, liveOutput: text.length > LIVE_OUTPUT_LIMIT ? text.slice(-LIVE_OUTPUT_LIMIT) : text })
      return
    }
    case 'tool_progress': {
      const item = findItem(draft.items, 'tool', delta.toolCallId)
      if (item === undefined) return
      putItem(draft.items, { ...item, progress: { done: delta.done, unit: delta.unit, ...(delta.total === undefined ? {} : { total: delta.total }) } })
      return
    }
    case 'phase':
      draft.phase = delta.phase
      return
    case 'quota':
      if (delta.ended) {
        delete draft.quota
        if (draft.state === 'quota') draft.state = 'thinking'
        return
      }
      draft.quota = { provider: delta.provider, ...(delta.position === undefined ? {} : { position: delta.position }), ...(delta.untilMs === undefined ? {} : { untilMs: delta.untilMs }) }
      draft.state = 'quota'
      draft.activity = delta.provider
      return
    case 'retry':
      return
    default:
      return unreachable(delta)
  }
}

function unreachable(_delta: never): void {}

function reduceStream(draft: SessionSnapshot, messageId: string, iteration: number, event: MetonaStreamEvent): void {
  const message: AssistantItem = findItem(draft.items, 'assistant', messageId) ?? { kind: 'assistant', id: messageId, turn: draft.turn, iteration, at: draft.updatedAt, text: '', status: 'streaming', model: draft.model }
  // A finished message is the durable one; late deltas must not reopen it.
  if (message.status !== 'streaming') return
  switch (event.type) {
    case 'thinking_start':
      return putItem(draft.items, { ...message, thinking: { content: '', status: 'thinking', durationMs: 0, tokensUsed: 0 } })
    case 'reasoning_delta': {
      const thinking = message.thinking ?? { content: '', status: 'thinking' as const, durationMs: 0, tokensUsed: 0 }
      return putItem(draft.items, { ...message, thinking: { ...thinking, content: thinking.content + event.delta } })
    }
    case 'thinking_end':
      return putItem(draft.items, { ...message, thinking: event.thinking })
    case 'text_delta':
      return putItem(draft.items, { ...message, text: message.text + event.delta })
    case 'tool_call_start':
      return putItem(draft.items, { kind: 'tool', id: event.toolCallId, turn: draft.turn, iteration, name: event.name, args: {}, argumentsText: '', status: 'proposed' })
    case 'tool_call_delta': {
      const tool = findItem(draft.items, 'tool', event.toolCallId)
      if (tool !== undefined) putItem(draft.items, { ...tool, argumentsText: (tool.argumentsText ?? '') + event.delta })
      return
    }
    case 'tool_call_complete': {
      const { argumentsText: _text, ...kept } = findItem(draft.items, 'tool', event.toolCall.id) ?? { kind: 'tool' as const, id: event.toolCall.id, turn: draft.turn, iteration, status: 'proposed' as const }
      return putItem(draft.items, { ...kept, name: event.toolCall.name, args: event.toolCall.args })
    }
    case 'usage':
      return putItem(draft.items, { ...message, usage: event.usage })
    case 'error':
    case 'done':
      return
    default:
      return unreachableStream(event)
  }
}

function unreachableStream(_event: never): void {}
