/** Messages said anew. */
import { AppError } from '#contracts/wire/app-error.ts'
import type { HandlerParts, HandlersOf } from './create-handlers.ts'

export function historyHandlers({ manager }: HandlerParts): HandlersOf<'history'> {
  return {
    'history.edit': async ({ sessionId, ...edit }) => {
      const session = manager.get(sessionId)
      if (session.turns.running) throw new AppError({ code: 'SESSION_BUSY', message: 'a turn is running in this session' })
      return { state: await session.turns.edit(edit) }
    },
  }
}
