import type { SessionEvent } from '#contracts/session/session-event.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import type { WorkspaceRegistry } from './workspace-registry.ts'

const READ_PAGE = 2000

/** All events of a stored session, oldest first. @throws AppError SESSION_NOT_FOUND */
export async function readEvents(workspaces: WorkspaceRegistry, workspace: string, sessionId: string): Promise<SessionEvent[]> {
  const events: SessionEvent[] = []
  const read = (fromSeq: number): Promise<{ events: SessionEvent[] }> =>
    workspaces.ask(workspace, (storage) => storage.readEvents({ workspace, sessionId, fromSeq, limit: READ_PAGE }))
  // Of a long one storage reads a page while the page before is checked here. Pages meet by number, and overlap where numbers are missing.
  let next = read(0)
  let afterNext: ReturnType<typeof read> | undefined
  for (let fromSeq = 0; ;) {
    const page = (await next).events
    const last = page.at(-1)
    if (last === undefined) break
    for (const event of page) if (event.seq >= fromSeq) events.push(event)
    fromSeq = Math.max(fromSeq, last.seq + 1)
    next = afterNext ?? read(fromSeq)
    afterNext = page.length === READ_PAGE ? read(fromSeq + READ_PAGE) : undefined
    // Told by the page before it, where both fail.
    afterNext?.catch(() => undefined)
  }
  if (events.length === 0)
    throw new AppError({
      code: 'SESSION_NOT_FOUND',
      message: `there is no session ${sessionId} in this workspace`,
      params: { sessionId },
    })
  return events
}
