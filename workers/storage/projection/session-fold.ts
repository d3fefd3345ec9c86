import { emptySnapshot } from '#contracts/session/reduce-session.ts'
import type { SessionSnapshot } from '#contracts/session/session-snapshot.ts'

/** Hash before a session's first audit row. */
export const FIRST_HASH = '0'.repeat(64)

/** All that the projection of the next event needs to know of the events before it. Kept as JSON in `sessions.fold`. */
export interface SessionFold {
  /** Without items: rows of the transcript are in `messages`, and a list row needs none of them. */
  readonly snapshot: SessionSnapshot
  /** Tool calls whose outcome is still out, for their audit row. */
  readonly intents: Readonly<Record<string, { readonly seq: number; readonly args: unknown }>>
  readonly auditHash: string
}

export function emptyFold(sessionId: string): SessionFold {
  return { snapshot: emptySnapshot(sessionId), intents: {}, auditHash: FIRST_HASH }
}
