/** Shorter forms of messages: pruned results, texts cut in the middle. */
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import type { MetonaToolResult } from '#contracts/metona/metona-tool.ts'
import { resultBody } from './message-text.ts'
import { sliceWhole } from './workspace-text.ts'

/** Always the same bytes, whatever stood there. */
export const PRUNED_RESULT = '[older tool output removed to save room; call the tool again if it is needed]'
/** Shorter results are not worth replacing. */
export const LEAST_PRUNED = 400
/** Results that hold the session's own state. */
const KEPT_TOOLS = new Set(['update_todo', 'ask_user', 'recall', 'remember'])

export function isPrunable(message: MetonaMessage): boolean {
  return (
    message.toolResult !== undefined && !KEPT_TOOLS.has(message.toolResult.toolName) && resultBody(message.toolResult).length > LEAST_PRUNED
  )
}

export function pruneResult(message: MetonaMessage): MetonaMessage {
  if (message.toolResult === undefined) return message
  const { images: _images, ...kept } = message
  return { ...kept, toolResult: withTexts(message.toolResult, PRUNED_RESULT, LEAST_PRUNED) }
}

/** Cuts every text of a tool or assistant message to `most` characters. User messages are never cut. */
export function shrinkMessage(message: MetonaMessage, most: number): MetonaMessage {
  if (message.role === 'tool' && message.toolResult !== undefined) {
    if (longestText(message) <= most && message.images === undefined) return message
    const { images: _images, ...kept } = message
    return { ...kept, toolResult: withTexts(message.toolResult, cutMiddle(resultBody(message.toolResult), most), most) }
  }
  if (message.role !== 'assistant') return message
  // What a provider gave to be sent back unchanged cannot be cut; it is left out with the text it belongs to.
  const { providerState: _state, ...kept } = message
  return {
    ...kept,
    content: cutMiddle(message.content, most),
    ...(message.thinking === undefined ? {} : { thinking: { ...message.thinking, content: cutMiddle(message.thinking.content, most) } }),
    ...(message.toolCalls === undefined
      ? {}
      : { toolCalls: message.toolCalls.map((call) => ({ ...call, args: shrinkValue(call.args, most) as Record<string, unknown> })) }),
  }
}

/** The longest text `shrinkMessage` would cut. */
export function longestText(message: MetonaMessage): number {
  if (message.role === 'tool')
    return message.toolResult === undefined ? 0 : Math.max(resultBody(message.toolResult).length, message.toolResult.error?.length ?? 0)
  if (message.role !== 'assistant') return 0
  const args = (message.toolCalls ?? []).map((call) => longestString(call.args))
  return Math.max(message.content.length, message.thinking?.content.length ?? 0, ...args)
}

/** Head and tail with a visible gap. The result is never longer than the text. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text
  const gap = `\n[… ${text.length - most} characters left out …]\n`
  if (gap.length >= most) return sliceWhole(text, most)
  const room = most - gap.length
  const head = sliceWhole(text, Math.ceil(room / 2))
  const tail = text.slice(text.length - Math.floor(room / 2))
  return head + gap + (isLowSurrogate(tail) ? tail.slice(1) : tail)
}

function withTexts(result: MetonaToolResult, body: string, mostError: number): MetonaToolResult {
  return { ...result, result: body, summary: body, ...(result.error === undefined ? {} : { error: cutMiddle(result.error, mostError) }) }
}

function isLowSurrogate(text: string): boolean {
  const code = text.charCodeAt(0)
  return code >= 0xdc00 && code <= 0xdfff
}

function shrinkValue(value: unknown, most: number): unknown {
  if (typeof value === 'string') return cutMiddle(value, most)
  if (Array.isArray(value)) return value.map((entry) => shrinkValue(entry, most))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, shrinkValue(entry, most)]))
  return value
}

function longestString(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value === 'object' && value !== null) return Math.max(0, ...Object.values(value).map(longestString))
  return 0
}
