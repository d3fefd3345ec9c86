/** Takes back what a session did to files, and says so in its transcript. */
import type { LiveSession } from './live-session.ts'
import type { Services } from './services.ts'

interface Change {
  readonly path: string
  readonly toolCallId: string
}

/** @param callIds of these calls only; of the whole session when absent. */
export async function undoChanges(
  services: Services,
  session: LiveSession,
  callIds: string[] | undefined,
): Promise<{ restored: (Change & { removed: boolean })[]; refused: (Change & { reason: string })[] }> {
  const { workspace, sessionId } = session
  const tools = await services.tools.client()
  const { restored, refused } = await tools.undo({ workspace, sessionId, ...(callIds === undefined ? {} : { callIds }) })
  // The transcript says what became of the files, also to whoever reads it later.
  if (restored.length > 0)
    await session.commit([
      {
        event: 'notice',
        code: 'changes_undone',
        message: `taken back: ${restored.map(({ path }) => path).join(', ')}`,
        params: { count: restored.length },
      },
    ])
  return {
    restored: restored.map(({ callId, ...kept }) => ({ toolCallId: callId, ...kept })),
    refused: refused.map(({ callId, ...kept }) => ({ toolCallId: callId, ...kept })),
  }
}
