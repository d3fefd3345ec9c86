import { SessionEventSchema, type SessionEvent } from '#contracts/session/session-event.ts'
import type { EventRow } from '../projection/rows.ts'

/** A line of a session log. `event` is absent for kinds of a newer version, which are kept as they are. */
export interface EventLine {
  readonly row: EventRow
  readonly event: SessionEvent | undefined
}

/** Head fields only: enough to know where a log stands. */
function headOf(
  text: string,
): { seq: number; sessionId: string; eventId: string; event: string; ts: string; turn: number | null } | undefined {
  const value = parseObject(text)
  if (value === undefined) return undefined
  const { seq, sessionId, event, ts, eventId, turn } = value
  if (
    typeof seq !== 'number' ||
    !Number.isInteger(seq) ||
    seq < 0 ||
    typeof sessionId !== 'string' ||
    typeof event !== 'string' ||
    typeof ts !== 'string'
  )
    return undefined
  return { seq, sessionId, event, ts, eventId: typeof eventId === 'string' ? eventId : '', turn: typeof turn === 'number' ? turn : null }
}

/** Undefined when the line is damaged, or belongs to another session. */
export function parseEventLine(text: string, sessionId: string): EventLine | undefined {
  const head = headOf(text)
  if (head === undefined || head.sessionId !== sessionId) return undefined
  const row: EventRow = {
    session_id: sessionId,
    seq: head.seq,
    event_id: head.eventId,
    event: head.event,
    turn: head.turn,
    ts: head.ts,
    json: text,
  }
  const parsed = SessionEventSchema.safeParse(JSON.parse(text))
  if (parsed.success) return { row, event: parsed.data }
  return isKnownKind(head.event) ? undefined : { row, event: undefined }
}

const KNOWN_EVENTS: ReadonlySet<string> = new Set(SessionEventSchema.options.map((option) => option.shape.event.value))

export function isKnownKind(event: string): boolean {
  return KNOWN_EVENTS.has(event)
}

export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    // Not JSON: the caller reports the line as damaged.
    return undefined
  }
}
