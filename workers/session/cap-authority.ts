/** What a stored session may do: what this person sealed, else no more than the profile's settings allow. */
import type { SessionSettings } from '#contracts/session/session-commands.ts'
import type { PermissionMode } from '#contracts/session/session-enums.ts'
import type { SessionEvent, SessionEventDraft } from '#contracts/session/session-event.ts'
import type { AuthoritySeal } from './authority-seal.ts'
import type { LiveSession } from './live-session.ts'

const PERMISSION_ORDER: readonly PermissionMode[] = ['plan', 'ask', 'auto_edit', 'full_access']

/** The seal for changes of authority; nothing when they change none. */
export async function sealOfChanges(seal: AuthoritySeal, session: LiveSession, changes: SessionSettings): Promise<{ seal?: string }> {
  if (changes.permission === undefined && changes.sandbox === undefined && changes.baseUrl === undefined) return {}
  const { snapshot } = session
  const permission = changes.permission ?? snapshot.permission
  const sandbox = changes.sandbox ?? snapshot.sandbox
  return { seal: await seal.sign(session.sessionId, { permission, sandbox, baseUrl: changes.baseUrl ?? snapshot.baseUrl }) }
}

/** Nothing where the stored authority is sealed; else the event that brings it down to `allowed`. */
export async function cappedAuthority(
  seal: AuthoritySeal,
  { sessionId, snapshot }: LiveSession,
  events: readonly SessionEvent[],
  allowed: { readonly permission: PermissionMode; readonly sandbox: 'auto' | 'off' },
): Promise<SessionEventDraft[]> {
  const { permission, sandbox, baseUrl } = snapshot
  if (await seal.verify(sessionId, { permission, sandbox, baseUrl }, lastSeal(events))) return []
  const capped = {
    permission: PERMISSION_ORDER.indexOf(permission) > PERMISSION_ORDER.indexOf(allowed.permission) ? allowed.permission : permission,
    sandbox: allowed.sandbox === 'auto' ? ('auto' as const) : sandbox,
    baseUrl: '',
  }
  return [{ event: 'session_updated', ...capped, seal: await seal.sign(sessionId, capped) }]
}

function lastSeal(events: readonly SessionEvent[]): string | undefined {
  const last = events.findLast(
    (event) =>
      event.event === 'session_start' ||
      (event.event === 'session_updated' && (event.permission !== undefined || event.sandbox !== undefined || event.baseUrl !== undefined)),
  )
  return last?.event === 'session_start' || last?.event === 'session_updated' ? last.seal : undefined
}
