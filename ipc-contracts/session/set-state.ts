/** The state a list row shows, with what it is doing and since when. */
import type { SessionState } from './session-enums.ts'
import type { SessionSnapshot } from './session-snapshot.ts'

/** `since` moves only when state or activity change. */
export function setState(draft: SessionSnapshot, state: SessionState, at: string, activity?: string): void {
  if (draft.state !== state || draft.activity !== activity) draft.since = at
  draft.state = state
  if (activity === undefined) delete draft.activity
  else draft.activity = activity
}
