/** A stored session, whole, opened for reading only: no lock, no trust, nothing run. */
import { AppError } from '#contracts/wire/app-error.ts'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import type { Client } from './client.ts'
import type { CommandContext } from './command-context.ts'

const PAGE = 5_000

export async function openToRead({ folder }: CommandContext, client: Client): Promise<string> {
  return (await client.call('workspace.open', { path: folder, mode: 'read' })).workspace
}

/** All events, oldest first. @throws AppError SESSION_NOT_FOUND */
export async function readSession(client: Client, workspace: string, sessionId: string): Promise<SessionEvent[]> {
  const events: SessionEvent[] = []
  for (;;) {
    const page = (await client.call('session.read', { workspace, sessionId, fromSeq: events.length, limit: PAGE })).events
    events.push(...page)
    if (page.length < PAGE) break
  }
  if (events.length === 0)
    throw new AppError({ code: 'SESSION_NOT_FOUND', message: `there is no session ${sessionId}`, params: { sessionId } })
  return events
}
