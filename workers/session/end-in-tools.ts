import { toErrorData } from '#contracts/wire/app-error.ts'
import type { LiveSession } from './live-session.ts'
import type { Services } from './services.ts'

/** Background commands end with their session. A session that ran nothing has nothing there to end. */
export async function endInTools(services: Services, session: LiveSession): Promise<void> {
  const { sessionId } = session
  if (!services.tools.started || !session.snapshot.items.some((item) => item.kind === 'tool')) return
  // A tools worker that is gone has nothing of this session left.
  const ended = services.tools.ask((tools) => tools.endSession({ sessionId }))
  await ended.catch((thrown: unknown) => services.context.log('warn', `end of ${sessionId} in tools: ${toErrorData(thrown).message}`))
}
