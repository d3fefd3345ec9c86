/** The events of a session as the beginning of another one. */
import type { PermissionMode } from '#contracts/session/session-enums.ts'
import type { SessionEvent, SessionEventDraft } from '#contracts/session/session-event.ts'
import { emptySnapshot, reduceSession } from '#contracts/session/reduce-session.ts'
import { recoveryDrafts } from './recover-session.ts'

const NOT_COPIED: readonly SessionEvent['event'][] = [
  'session_resumed',
  'session_end',
  'message_queued',
  'message_unqueued',
  'side_request',
]

/**
 * @param events from `session_start` on; a turn they cut off is closed.
 * @param present the folder's sessions, whose titles the fork's must not repeat
 */
export function forkDrafts(
  events: readonly SessionEvent[],
  authority: { readonly permission: PermissionMode; readonly sandbox: 'auto' | 'off'; readonly seal: string },
  present: readonly { readonly title: string }[],
): SessionEventDraft[] {
  const [first, ...rest] = events
  if (first?.event !== 'session_start') return []
  const copied = rest.filter((event) => !NOT_COPIED.includes(event.event))
  const start = { ...first, forkedFrom: { sessionId: first.sessionId, seq: events.at(-1)?.seq ?? 0 } }
  const drafts = renumbered([start, ...copied]).map((draft, index): SessionEventDraft => {
    if (draft.event === 'llm_response') return { ...draft, copied: true }
    if (draft.event !== 'session_start' && draft.event !== 'session_updated') return draft
    // What the folder says of permissions is not taken over.
    const { permission: _permission, sandbox: _sandbox, baseUrl: _baseUrl, seal: _seal, ...kept } = draft
    return index === 0 ? ({ ...kept, ...authority } as SessionEventDraft) : (kept as SessionEventDraft)
  })
  const { title } = reduceSession(emptySnapshot(first.sessionId), events)
  const named: SessionEventDraft[] =
    title === '' ? [] : [{ event: 'session_updated', title: titleOfFork(title, new Set(present.map((session) => session.title))) }]
  return [...drafts, ...recoveryDrafts(copied, []), ...named]
}

/** Two of one name in a list could not be told apart: `Title` → `Title (2)` → `Title (3)`, the next number that is free. */
function titleOfFork(title: string, taken: ReadonlySet<string>): string {
  const [, name = title, last = '1'] = /^(.*) \((\d{1,3})\)$/s.exec(title) ?? []
  let number = Number(last) + 1
  while (taken.has(`${name} (${number})`)) number += 1
  return `${name} (${number})`
}

/** As drafts of another session: numbers that point at events follow them to their new places. */
function renumbered(events: readonly SessionEvent[]): SessionEventDraft[] {
  const place = (seq: number): number =>
    Math.max(
      0,
      events.findLastIndex((event) => event.seq <= seq),
    )
  return events.map((event): SessionEventDraft => {
    const { seq: _seq, ts: _ts, sessionId: _sessionId, eventId: _eventId, ...draft } = event
    if (draft.event === 'rewind') return { ...draft, toSeq: place(draft.toSeq) }
    if (draft.event === 'compaction') return { ...draft, upToSeq: place(draft.upToSeq) }
    return draft
  })
}
