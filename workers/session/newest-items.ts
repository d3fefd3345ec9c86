/** The end of a long conversation, sent first so that it is on screen at once. */
import type { SessionSnapshot } from '#contracts/session/session-snapshot.ts'

/** @returns the snapshot with its newest items; the turn that runs is never cut, because events still change all of it. */
export function newestItems(snapshot: SessionSnapshot, newest: number | undefined): SessionSnapshot {
  const { items } = snapshot
  if (newest === undefined || items.length <= newest) return snapshot
  const running = items.findLastIndex((item) => item.kind === 'turn_end') + 1
  const from = Math.min(items.length - newest, running)
  return from === 0 ? snapshot : { ...snapshot, items: items.slice(from), earlier: from }
}
