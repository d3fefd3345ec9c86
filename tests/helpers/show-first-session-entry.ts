/**
 * The session worker with commit-before-show switched off: an event counts as durable as soon as it is handed over.
 * The control of the proofs that kill the app; nothing of the app loads this file.
 */
import type { SessionEvent } from '#contracts/session/session-event.ts'
import { SessionStore } from '#workers/session/session-store.ts'

const append = Object.getOwnPropertyDescriptor(SessionStore.prototype, 'append')?.value as (
  this: SessionStore,
  events: SessionEvent[],
) => Promise<void>
SessionStore.prototype.append = function (this: SessionStore, events: SessionEvent[]): Promise<void> {
  append.call(this, events).catch(() => undefined)
  return Promise.resolve()
}
await import('#workers/session/entry.ts')
