/** Small changes to a draft that several parts of the fold make. */
import type { SessionState } from './session-enums.ts'
import type { SessionSnapshot } from './session-snapshot.ts'

/** The state a list row shows, with what it is doing. `since` moves only when state or activity change. */
export function setState(draft: SessionSnapshot, state: SessionState, at: string, activity?: string): void {
  if (draft.state !== state || draft.activity !== activity) draft.since = at
  draft.state = state
  if (activity === undefined) delete draft.activity
  else draft.activity = activity
}

/** The list without the entries `isGone` names; the same list when there are none. */
export function without<T>(list: T[], isGone: (entry: T) => boolean): T[] {
  return list.some(isGone) ? list.filter((entry) => !isGone(entry)) : list
}
