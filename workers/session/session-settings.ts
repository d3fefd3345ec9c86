/** What a client may set of a session, as it goes into events. */
import type { SessionSettings } from '#contracts/session/session-commands.ts'
import type { SessionSnapshot } from '#contracts/session/session-snapshot.ts'

/** Milliseconds. */
export function timeoutOf(settings: SessionSettings): number | undefined {
  return settings.timeoutSeconds === undefined ? undefined : settings.timeoutSeconds * 1000
}

/** Without what holds for this run only. */
export function eventSettings(settings: SessionSettings): Omit<SessionSettings, 'timeoutSeconds'> {
  const { timeoutSeconds: _timeout, ...kept } = settings
  return kept
}

/** Those that differ from what the session has. */
export function changedSettings(snapshot: SessionSnapshot, settings: SessionSettings): Omit<SessionSettings, 'timeoutSeconds'> {
  const known = snapshot as unknown as Record<string, unknown>
  return Object.fromEntries(Object.entries(eventSettings(settings)).filter(([key, value]) => value !== undefined && known[key] !== value))
}
