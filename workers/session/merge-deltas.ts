/** Neighbouring deltas of the same part become one entry, so that a post stays small however fast a model streams. */
import type { SessionEntry } from '#contracts/session/client-protocol.ts'
import type { StreamDelta } from '#contracts/session/stream-delta.ts'

/** Appends `entry`, or merges it into the last entry. Entries already in the list may be replaced, never changed. */
export function appendEntry(entries: SessionEntry[], entry: SessionEntry): void {
  const last = entries.at(-1)
  const merged = last !== undefined && 'delta' in last && 'delta' in entry ? merge(last, entry) : undefined
  if (merged === undefined) entries.push(entry)
  else entries[entries.length - 1] = merged
}

function merge(left: StreamDelta, right: StreamDelta): StreamDelta | undefined {
  if (left.delta === 'tool_output' && right.delta === 'tool_output' && left.toolCallId === right.toolCallId) {
    const dropped = (left.dropped ?? 0) + (right.dropped ?? 0)
    return { delta: 'tool_output', toolCallId: left.toolCallId, text: left.text + right.text, ...(dropped === 0 ? {} : { dropped }) }
  }
  if (left.delta === 'tool_progress' && right.delta === 'tool_progress' && left.toolCallId === right.toolCallId) return right
  if (left.delta !== 'stream' || right.delta !== 'stream' || left.messageId !== right.messageId) return undefined
  const [first, second] = [left.event, right.event]
  if (first.type === 'text_delta' && second.type === 'text_delta')
    return { ...left, event: { type: 'text_delta', delta: first.delta + second.delta } }
  if (first.type === 'reasoning_delta' && second.type === 'reasoning_delta')
    return { ...left, event: { type: 'reasoning_delta', delta: first.delta + second.delta } }
  if (first.type === 'tool_call_delta' && second.type === 'tool_call_delta' && first.toolCallId === second.toolCallId)
    return { ...left, event: { ...first, delta: first.delta + second.delta } }
  return undefined
}
