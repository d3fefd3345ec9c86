import { reduceSession } from '#contracts/session/reduce-session.ts'
import type { SessionEvent, SessionEventOf } from '#contracts/session/session-event.ts'
import { auditRow, bounded } from './audit-row.ts'
import type { MessageRow, ProjectedRows, QueuedRow, RecallRow, SessionRow, UsageRow } from './rows.ts'
import type { SessionFold } from './session-fold.ts'

/**
 * What one event adds to the tables, and the state for the next one. Pure: the same events give the same rows
 * whether they come from the session worker or from a log, which is what makes the database disposable.
 * `json` is the event's stored text.
 */
export function projectEvent(fold: SessionFold, event: SessionEvent, json: string): { fold: SessionFold; rows: ProjectedRows } {
  const audit = auditRow(fold, event, json)
  const message = messageRow(event)
  const queued = queuedRow(event)
  const recalls = recallRows(event)
  const dequeued = event.event === 'user_message' || event.event === 'message_unqueued' ? event.messageId : undefined
  const rows: ProjectedRows = {
    ...(message === undefined ? {} : { message }),
    ...(audit === undefined ? {} : { audit }),
    ...((event.event === 'llm_response' && event.copied !== true) || event.event === 'side_request' ? { usage: usageRow(event) } : {}),
    ...(queued === undefined ? {} : { queued }),
    ...(dequeued === undefined ? {} : { dequeued }),
    ...(recalls.length === 0 ? {} : { recalls }),
  }
  const snapshot = reduceSession(fold.snapshot, [event])
  snapshot.items = []
  return { fold: { snapshot, intents: nextIntents(fold.intents, event), auditHash: audit?.hash ?? fold.auditHash }, rows }
}

/** The session's row after its last event. */
export function sessionRow(fold: SessionFold): SessionRow {
  const { snapshot } = fold
  return {
    session_id: snapshot.sessionId,
    workspace: snapshot.workspace.toWellFormed(),
    title: snapshot.title.toWellFormed(),
    model: snapshot.model.toWellFormed(),
    pinned: snapshot.pinned ? 1 : 0,
    archived: snapshot.archived ? 1 : 0,
    state: snapshot.state,
    since: snapshot.since,
    activity: snapshot.activity?.toWellFormed() ?? null,
    turn: snapshot.turn,
    last_seq: snapshot.lastSeq,
    created_at: snapshot.createdAt,
    updated_at: snapshot.updatedAt,
    open_turn: snapshot.phase !== undefined && snapshot.phase !== 'ended' ? 1 : 0,
    fold: JSON.stringify(fold),
  }
}

function nextIntents(intents: SessionFold['intents'], event: SessionEvent): SessionFold['intents'] {
  if (event.event === 'tool_call') return { ...intents, [event.toolCallId]: { seq: event.seq, args: bounded(event.args) } }
  if (event.event !== 'tool_result' || intents[event.toolCallId] === undefined) return intents
  const { [event.toolCallId]: _done, ...open } = intents
  return open
}

function messageRow(event: SessionEvent): MessageRow | undefined {
  switch (event.event) {
    case 'user_message':
      return message(event, 'user', event.messageId, event.content, null)
    case 'llm_response':
      return message(event, 'assistant', event.messageId, event.content, event.iteration)
    case 'tool_result':
      return message(event, 'tool', event.toolCallId, event.summary ?? textOf(event.result), event.iteration)
    case 'compaction':
      return message(event, 'system', null, event.summary, null)
    default:
      return undefined
  }
}

function message(
  event: SessionEvent,
  role: MessageRow['role'],
  messageId: string | null,
  content: string,
  iteration: number | null,
): MessageRow {
  // SQLite holds UTF-8, which has no lone surrogates.
  return {
    session_id: event.sessionId,
    seq: event.seq,
    turn: event.turn ?? null,
    iteration,
    role,
    message_id: messageId,
    content: content.toWellFormed(),
    ts: event.ts,
  }
}

/** Longest tool result kept as message text; the whole stands in its event. */
const RESULT_CHARACTERS = 32_768

function textOf(result: unknown): string {
  const text = typeof result === 'string' ? result : (JSON.stringify(result) ?? '')
  return text.slice(0, RESULT_CHARACTERS)
}

function usageRow(event: SessionEventOf<'llm_response' | 'side_request'>): UsageRow {
  const answer = event.event === 'llm_response' ? event : undefined
  return {
    session_id: event.sessionId,
    seq: event.seq,
    turn: event.turn ?? null,
    iteration: answer?.iteration ?? null,
    provider: event.provider,
    model: event.model,
    input_tokens: event.usage.inputTokens,
    output_tokens: event.usage.outputTokens,
    total_tokens: event.usage.totalTokens,
    cache_hit_tokens: event.usage.cacheHitTokens ?? null,
    cache_miss_tokens: event.usage.cacheMissTokens ?? null,
    cache_write_tokens: event.usage.cacheWriteTokens ?? null,
    reasoning_tokens: event.usage.reasoningTokens ?? null,
    currency: event.cost?.currency ?? null,
    cost: event.cost?.total ?? null,
    duration_ms: event.durationMs,
    first_token_ms: answer?.firstTokenMs ?? null,
    queued_ms: answer?.queuedMs ?? null,
    ts: event.ts,
  }
}

/** Brought up by itself at the start of a turn, or asked for with the tool. */
function recallRows(event: SessionEvent): RecallRow[] {
  if (event.event !== 'context_built' && event.event !== 'tool_result') return []
  return (event.memories ?? []).map(({ id, score, words }) => ({
    memory_id: id.toWellFormed(),
    session_id: event.sessionId,
    seq: event.seq,
    turn: event.turn ?? null,
    score,
    words: JSON.stringify(words.map((word) => word.toWellFormed())),
    ts: event.ts,
  }))
}

function queuedRow(event: SessionEvent): QueuedRow | undefined {
  if (event.event !== 'message_queued') return undefined
  return {
    session_id: event.sessionId,
    message_id: event.messageId,
    seq: event.seq,
    content: event.content.toWellFormed(),
    steering: event.steering ? 1 : 0,
    ts: event.ts,
  }
}
