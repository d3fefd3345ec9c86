import { createHash } from 'node:crypto'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import type { AuditRow } from './rows.ts'
import type { SessionFold } from './session-fold.ts'

/** Longest text kept in an audit row; the whole stands in the event of the same `log_seq`. */
const DETAIL_CHARACTERS = 4096

type Unchained = Omit<AuditRow, 'session_id' | 'created_at' | 'log_seq' | 'prev_hash' | 'hash'>

/** SHA-256, hex. */
function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

/** Arguments or an error as they are; as the beginning of their JSON text where they are long. */
export function bounded(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null'
  return text.length <= DETAIL_CHARACTERS
    ? value
    : `${text.slice(0, DETAIL_CHARACTERS).toWellFormed()}… (${text.length} characters, sha256 ${sha256(text)})`
}

/** The audit row of an event, chained to the session's previous one; undefined for events that are not audited. */
export function auditRow(fold: SessionFold, event: SessionEvent, eventJson: string): AuditRow | undefined {
  const row = unchainedRow(fold, event)
  if (row === undefined) return undefined
  const chained = { session_id: event.sessionId, ...row, created_at: event.ts, log_seq: event.seq, prev_hash: fold.auditHash }
  return { ...chained, hash: auditHash(chained, eventJson) }
}

/** Covers the row, its place in the chain and the event it stands for. `id` is left out: it is the table's own. */
export function auditHash(row: Omit<AuditRow, 'hash'>, eventJson: string): string {
  return sha256(
    JSON.stringify([
      row.prev_hash,
      row.session_id,
      row.log_seq,
      row.iteration,
      row.event_type,
      row.actor,
      row.target,
      row.details,
      row.outcome,
      row.duration_ms,
      row.created_at,
      sha256(eventJson),
    ]),
  )
}

function unchainedRow(fold: SessionFold, event: SessionEvent): Unchained | undefined {
  switch (event.event) {
    case 'llm_request':
      return row(
        event.iteration,
        'llm_request',
        'agent',
        `${event.provider}/${event.model}`,
        { requestId: event.requestId, messageCount: event.messageCount, messagesHash: event.messagesHash },
        null,
        null,
      )
    case 'llm_response':
      return row(
        event.iteration,
        'llm_response',
        'agent',
        `${event.provider}/${event.model}`,
        {
          requestId: event.requestId,
          finishReason: event.finishReason,
          usage: event.usage,
          ...(event.cost === undefined ? {} : { cost: event.cost }),
          ...(event.error === undefined ? {} : { error: event.error }),
        },
        event.finishReason === 'error' || event.finishReason === 'aborted' ? 'error' : 'success',
        event.durationMs,
      )
    case 'permission':
      return row(
        event.iteration,
        'permission_check',
        event.by === 'user' ? 'user' : 'system',
        event.tool,
        { toolCallId: event.toolCallId, by: event.by, reason: event.reason, ...(event.scope === undefined ? {} : { scope: event.scope }) },
        event.decision === 'allow' ? 'success' : 'denied',
        null,
      )
    // The intent: on record before the tool runs, whatever becomes of it.
    case 'tool_call':
      return row(
        event.iteration,
        'tool_intent',
        'agent',
        event.tool,
        { toolCallId: event.toolCallId, args: bounded(event.args) },
        null,
        null,
      )
    case 'tool_result': {
      const intent = fold.intents[event.toolCallId]
      const outcome = event.outcome === 'ok' ? 'success' : event.outcome === 'denied' ? 'denied' : 'error'
      return row(
        event.iteration,
        'tool_call',
        'agent',
        event.tool,
        {
          toolCallId: event.toolCallId,
          outcome: event.outcome,
          ...(intent === undefined ? {} : { args: intent.args, intentSeq: intent.seq }),
          ...(event.error === undefined ? {} : { error: bounded(event.error) }),
        },
        outcome,
        event.durationMs,
      )
    }
    case 'error':
      return row(
        null,
        'error',
        'system',
        event.code,
        { message: event.message, ...(event.details === undefined ? {} : { details: bounded(event.details) }) },
        'error',
        null,
      )
    case 'turn_end':
      return event.error === undefined
        ? undefined
        : row(null, 'error', 'system', event.error.code, { reason: event.reason, error: event.error }, 'error', event.durationMs)
    default:
      return undefined
  }
}

function row(
  iteration: number | null,
  eventType: string,
  actor: AuditRow['actor'],
  target: string,
  details: unknown,
  outcome: AuditRow['outcome'],
  durationMs: number | null,
): Unchained {
  return {
    iteration,
    event_type: eventType,
    actor,
    target: target.toWellFormed(),
    details: JSON.stringify(details),
    outcome,
    duration_ms: durationMs === null ? null : Math.round(durationMs),
  }
}
