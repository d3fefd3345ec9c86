/** What a crash left behind, written into the session as it is found: nothing is run again, nothing is lost silently. */
import type { SessionEvent, SessionEventDraft } from '#contracts/session/session-event.ts'
import type { PartialText } from '#contracts/storage/partial-text.ts'
import { MetonaErrorCode } from '#contracts/metona/metona-response.ts'

const UNKNOWN_TEXT = 'The app ended while this ran. Whether it took effect is unknown; it was not run again. Look before doing it again.'
const NOT_RUN_TEXT = 'The app ended before this call was made. It was not run.'

/**
 * @param events the whole session.
 * @returns drafts that close an unfinished turn: a partial answer kept as interrupted, intents without outcome
 * as unknown, calls never made as not run, and `turn_end` interrupted. Empty when the last turn is closed.
 */
export function recoveryDrafts(events: readonly SessionEvent[], partials: readonly PartialText[]): SessionEventDraft[] {
  const lastTurn = lastOpenTurn(events)
  if (lastTurn === undefined) return []
  const turnEvents = events.filter((event) => event.turn === lastTurn)
  const drafts: SessionEventDraft[] = []
  let request: Extract<SessionEvent, { event: 'llm_request' }> | undefined
  const answered = new Set<string>()
  const intents = new Set<string>()
  let openCalls: { id: string; name: string; iteration: number }[] = []
  let iterationOpen: number | undefined
  let iterations = 0
  for (const event of turnEvents) {
    if (event.event === 'llm_request') request = event
    if (event.event === 'iteration_start') {
      iterationOpen = event.iteration
      iterations = event.iteration
    }
    if (event.event === 'iteration_end') iterationOpen = undefined
    if (event.event === 'llm_response') {
      request = undefined
      openCalls = (event.toolCalls ?? []).map((call) => ({ id: call.id, name: call.name, iteration: event.iteration }))
    }
    if (event.event === 'tool_call') intents.add(event.toolCallId)
    if (event.event === 'tool_result') answered.add(event.toolCallId)
  }
  if (request !== undefined) {
    const partial = partials.find((entry) => entry.turn === lastTurn && entry.iteration === request.iteration)
    drafts.push({
      event: 'llm_response',
      iteration: request.iteration,
      content: partial?.text ?? '',
      finishReason: 'aborted',
      usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
      requestId: request.requestId,
      provider: request.provider,
      model: request.model,
      messageId: partial?.messageId ?? `m_lost_${request.requestId.slice(2)}`,
      durationMs: 0,
      ...(partial === undefined || partial.thinking === ''
        ? {}
        : { thinking: { content: partial.thinking, status: 'complete', durationMs: 0, tokensUsed: 0 } }),
      error: {
        code: MetonaErrorCode.UNKNOWN,
        message: 'the app ended while this answer was being received',
        providerCode: 'INTERRUPTED',
        retryable: true,
      },
      turn: lastTurn,
    })
  }
  for (const call of openCalls) {
    if (answered.has(call.id)) continue
    const unknown = intents.has(call.id)
    const text = unknown ? UNKNOWN_TEXT : NOT_RUN_TEXT
    drafts.push({
      event: 'tool_result',
      iteration: call.iteration,
      tool: call.name,
      success: false,
      durationMs: 0,
      result: null,
      toolCallId: call.id,
      outcome: unknown ? 'unknown' : 'aborted',
      summary: text,
      error: text,
      turn: lastTurn,
    })
  }
  if (iterationOpen !== undefined) drafts.push({ event: 'iteration_end', iteration: iterationOpen, durationMs: 0, turn: lastTurn })
  drafts.push({ event: 'turn_end', reason: 'interrupted', iterations, durationMs: 0, turn: lastTurn })
  return drafts
}

/** The last turn that has a user message of its own (steering aside) and no end. */
function lastOpenTurn(events: readonly SessionEvent[]): number | undefined {
  let open: number | undefined
  for (const event of events) {
    if (event.turn === undefined) continue
    open = event.event === 'turn_end' ? undefined : event.turn
  }
  return open
}
