import type { Database } from 'better-sqlite3'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import { AppError, WireErrorCode } from '#contracts/wire/app-error.ts'
import type { FoldStore } from './fold-store.ts'
import type { LogRow } from './logs/log-writer.ts'
import { isSessionId } from './logs/log-names.ts'
import { projectEvent, sessionRow } from './projection/project-event.ts'
import { eventIdAt } from './queries/read-sessions.ts'
import type { RowWriter } from './queries/write-rows.ts'

/** An event and its stored text. `event` is absent for kinds only a newer version knows. */
export interface StoredEvent {
  readonly seq: number
  readonly eventId: string
  readonly kind: string
  readonly turn: number | null
  readonly ts: string
  readonly json: string
  readonly event: SessionEvent | undefined
}

/** `BAD_INPUT` when the events are not of one session with a well-formed id. */
export function sessionIdOf(events: readonly SessionEvent[]): string {
  const sessionId = events[0]?.sessionId ?? ''
  if (!isSessionId(sessionId))
    throw new AppError({ code: WireErrorCode.BAD_INPUT, message: `${JSON.stringify(sessionId)} is no session id` })
  if (events.some((event) => event.sessionId !== sessionId))
    throw new AppError({ code: WireErrorCode.BAD_INPUT, message: 'events of more than one session in one call' })
  return sessionId
}

export function toStored(event: SessionEvent): StoredEvent {
  // JSON has no undefined, and a result that is not there could not be read back.
  const whole = event.event === 'tool_result' && event.result === undefined ? { ...event, result: null } : event
  return {
    seq: event.seq,
    eventId: event.eventId,
    kind: event.event,
    turn: event.turn ?? null,
    ts: event.ts,
    json: JSON.stringify(whole),
    event: whole,
  }
}

/**
 * Inserts events behind those the session has, with all rows made from them; inside a transaction. What is there
 * already is skipped. `SEQ_CONFLICT`, before anything is written: another event has that number, or one is missing
 * (`allowGaps` is for a log with an unreadable line: what stands behind it is kept).
 * @returns the rows that are new, for the log.
 */
export function insertEvents(
  database: Database,
  writer: RowWriter,
  folds: FoldStore,
  sessionId: string,
  events: readonly StoredEvent[],
  options: { allowGaps?: boolean } = {},
): { rows: LogRow[]; lastSeq: number } {
  let fold = folds.get(database, sessionId)
  const { lastSeq } = fold.snapshot
  const fresh =
    options.allowGaps === true ? events.filter((stored) => stored.seq > lastSeq) : freshEvents(database, sessionId, lastSeq, events)
  for (const stored of fresh) {
    writer.event({
      session_id: sessionId,
      seq: stored.seq,
      event_id: stored.eventId,
      event: stored.kind,
      turn: stored.turn,
      ts: stored.ts,
      json: stored.json,
    })
    if (stored.event === undefined) {
      fold = { ...fold, snapshot: { ...fold.snapshot, lastSeq: stored.seq, updatedAt: stored.ts } }
      continue
    }
    const projected = projectEvent(fold, stored.event, stored.json)
    writer.projected(sessionId, projected.rows)
    fold = projected.fold
  }
  if (fresh.length > 0) {
    writer.session(sessionRow(fold))
    folds.stage(sessionId, fold)
  }
  return { rows: fresh.map(({ seq, json }) => ({ seq, json })), lastSeq: fold.snapshot.lastSeq }
}

function freshEvents(database: Database, sessionId: string, lastSeq: number, events: readonly StoredEvent[]): StoredEvent[] {
  const fresh: StoredEvent[] = []
  let expected = lastSeq + 1
  for (const stored of events) {
    if (stored.seq === expected) {
      fresh.push(stored)
      expected++
      continue
    }
    const known =
      stored.seq < expected
        ? (fresh.find((other) => other.seq === stored.seq)?.eventId ?? eventIdAt(database, sessionId, stored.seq))
        : undefined
    if (known !== stored.eventId) {
      throw new AppError({
        code: 'SEQ_CONFLICT',
        message: `session ${sessionId}: event ${stored.seq} does not follow ${expected - 1}${known === undefined ? '' : `; ${known} has that number`}`,
        params: { sessionId, seq: stored.seq, lastSeq: expected - 1 },
      })
    }
  }
  return fresh
}
