/**
 * The part of the fold that deals with what is not durable. Changes the draft in place. Durable events win: a
 * delta that comes after the event it led to, or after its turn, changes nothing.
 */
import type { MetonaStreamEvent } from '../metona/metona-response.ts'
import type { SessionSnapshot } from './session-snapshot.ts'
import type { StreamDelta } from './stream-delta.ts'
import { findItem, putItem, type AssistantItem, type ToolItem } from './transcript-items.ts'

/** UTF-16 code units of live output kept for display; the whole goes to the result and its file. */
const LIVE_OUTPUT_LIMIT = 64 * 1024

const NO_THINKING = { content: '', status: 'thinking', durationMs: 0, tokensUsed: 0 } as const

export function reduceDelta(draft: SessionSnapshot, delta: StreamDelta): void {
  if (draft.phase === 'ended' && (delta.delta !== 'phase' || delta.turn <= draft.turn)) return
  switch (delta.delta) {
    case 'stream':
      return reduceStream(draft, delta.messageId, delta.iteration, delta.event)
    case 'tool_output': {
      const item = runningTool(draft, delta.toolCallId)
      if (item !== undefined) putItem(draft, { ...item, liveOutput: lastOf((item.liveOutput ?? '') + delta.text) })
      return
    }
    case 'tool_progress': {
      const { done, total, unit } = delta
      const item = runningTool(draft, delta.toolCallId)
      if (item !== undefined) putItem(draft, { ...item, progress: { done, unit, ...(total === undefined ? {} : { total }) } })
      return
    }
    case 'phase':
      if (delta.turn >= draft.turn) draft.phase = delta.phase
      return
    case 'quota': {
      if (delta.ended) {
        delete draft.quota
        if (draft.state !== 'quota') return
        draft.state = 'thinking'
        delete draft.activity
        return
      }
      const { provider, position, untilMs } = delta
      draft.quota = { provider, ...(position === undefined ? {} : { position }), ...(untilMs === undefined ? {} : { untilMs }) }
      draft.state = 'quota'
      draft.activity = provider
      return
    }
    case 'retry':
      return
    default:
      return unreachable(delta)
  }
}

function unreachable(_delta: never): void {}

function runningTool(draft: SessionSnapshot, toolCallId: string): ToolItem | undefined {
  const item = findItem(draft.items, 'tool', toolCallId, draft.turn)
  return item?.status === 'running' ? item : undefined
}

/** The end of a text, not beginning with half a surrogate pair. */
function lastOf(text: string): string {
  return text.length <= LIVE_OUTPUT_LIMIT ? text : text.slice(-LIVE_OUTPUT_LIMIT).replace(/^[\uDC00-\uDFFF]/, '')
}

function reduceStream(draft: SessionSnapshot, messageId: string, iteration: number, event: MetonaStreamEvent): void {
  const known = findItem(draft.items, 'assistant', messageId, draft.turn)
  const message: AssistantItem = known ?? {
    kind: 'assistant',
    id: messageId,
    turn: draft.turn,
    iteration,
    at: draft.updatedAt,
    text: '',
    status: 'streaming',
    model: draft.model,
  }
  // A finished message is the durable one; late deltas must not reopen it.
  if (message.status !== 'streaming') return
  switch (event.type) {
    case 'thinking_start':
      return putItem(draft, { ...message, thinking: { ...(message.thinking ?? NO_THINKING), status: 'thinking' } })
    case 'reasoning_delta': {
      const thinking = message.thinking ?? NO_THINKING
      return putItem(draft, { ...message, thinking: { ...thinking, content: thinking.content + event.delta } })
    }
    case 'thinking_end':
      return putItem(draft, { ...message, thinking: event.thinking })
    case 'text_delta':
      return putItem(draft, { ...message, text: message.text + event.delta })
    case 'tool_call_start':
      // The message stands before its calls, also when it has no text: so it will after a reload.
      if (known === undefined) putItem(draft, message)
      return putItem(draft, {
        kind: 'tool',
        id: event.toolCallId,
        turn: draft.turn,
        iteration,
        name: event.name,
        args: {},
        argumentsText: '',
        status: 'proposed',
      })
    case 'tool_call_delta': {
      const tool = findItem(draft.items, 'tool', event.toolCallId, draft.turn)
      if (tool !== undefined) putItem(draft, { ...tool, argumentsText: (tool.argumentsText ?? '') + event.delta })
      return
    }
    case 'tool_call_complete': {
      if (known === undefined) putItem(draft, message)
      const { id, name, args } = event.toolCall
      const { argumentsText: _text, ...kept } = findItem(draft.items, 'tool', id, draft.turn) ?? {
        kind: 'tool' as const,
        id,
        turn: draft.turn,
        iteration,
        status: 'proposed' as const,
      }
      return putItem(draft, { ...kept, name, args })
    }
    case 'usage':
      return putItem(draft, { ...message, usage: event.usage })
    case 'error':
    case 'done':
      return
    default:
      return unreachable(event)
  }
}
