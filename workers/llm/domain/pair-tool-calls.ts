/** Makes a history valid for every provider: each call answered exactly once, right after its message, by a unique id. */
import type { MetonaImage, MetonaMessage } from '#contracts/metona/metona-request.ts'
import type { MetonaToolCall, MetonaToolResult } from '#contracts/metona/metona-tool.ts'

export interface WireCall {
  readonly call: MetonaToolCall
  /** Unique in the request: the provider's own id where it can be used, else ours. */
  readonly wireId: string
}

export interface WireResult {
  readonly wireId: string
  readonly result: MetonaToolResult
  /** Pictures the tool returned; providers that take none in a result get them in the next user message. */
  readonly images: readonly MetonaImage[]
}

export type WireTurn =
  | { readonly role: 'system'; readonly message: MetonaMessage }
  | { readonly role: 'user'; readonly message: MetonaMessage }
  /** `results` has one entry per call, in the order of the calls. */
  | {
      readonly role: 'assistant'
      readonly message: MetonaMessage
      readonly calls: readonly WireCall[]
      readonly results: readonly WireResult[]
    }

/** Ids every provider takes. */
const PLAIN_ID = /^[a-zA-Z0-9_-]{1,64}$/

/**
 * Results are found by our ids, so two calls with one provider id keep theirs apart. A call without a
 * result (abort, crash, compaction) is answered as interrupted; a result without a call, or a second
 * one, is left out.
 * @param acceptsId which provider ids may be sent back as they are.
 */
export function pairToolCalls(
  messages: readonly MetonaMessage[],
  acceptsId: (id: string) => boolean = (id) => PLAIN_ID.test(id),
): WireTurn[] {
  const answers = new Map<string, Pick<WireResult, 'result' | 'images'>>()
  for (const message of messages) {
    const result = message.toolResult
    if (message.role === 'tool' && result !== undefined && !answers.has(result.toolCallId))
      answers.set(result.toolCallId, { result: withText(result, message.content), images: message.images ?? [] })
  }
  const usedIds = new Set<string>()
  const turns: WireTurn[] = []
  for (const message of messages) {
    if (message.role === 'tool') continue
    if (message.role !== 'assistant') {
      turns.push(message.role === 'system' ? { role: 'system', message } : { role: 'user', message })
      continue
    }
    const calls = (message.toolCalls ?? []).map((call) => ({ call, wireId: uniqueId(call, usedIds, acceptsId) }))
    turns.push({
      role: 'assistant',
      message,
      calls,
      results: calls.map(({ call, wireId }) => ({ wireId, ...(answers.get(call.id) ?? { result: missingResult(call), images: [] }) })),
    })
  }
  return turns
}

function uniqueId(call: MetonaToolCall, used: Set<string>, acceptsId: (id: string) => boolean): string {
  const wanted =
    call.providerCallId !== undefined && call.providerCallId !== '' && acceptsId(call.providerCallId) ? call.providerCallId : call.id
  let id = used.has(wanted) ? call.id : wanted
  for (let count = 2; used.has(id); count += 1) id = `${call.id}_${count}`
  used.add(id)
  return id
}

/** Some histories keep a result's text in the message. */
function withText(result: MetonaToolResult, content: string): MetonaToolResult {
  return result.summary === undefined && (result.result === undefined || result.result === null) && content !== ''
    ? { ...result, summary: content }
    : result
}

function missingResult(call: MetonaToolCall): MetonaToolResult {
  return {
    toolCallId: call.id,
    toolName: call.name,
    result: null,
    success: false,
    error: 'the call was interrupted; it is not known whether it had an effect',
    durationMs: 0,
    timestamp: call.timestamp,
  }
}
