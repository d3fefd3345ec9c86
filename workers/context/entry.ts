/**
 * The context thread: a Piscina pool of one, its tasks are this file's exports. Light to start: no schema
 * library, no tokenizer until a count is needed.
 */
import { threadId } from 'node:worker_threads'
import type { BuildOutput, BuildTask } from '#contracts/context/context-tasks.ts'
import { buildRequest } from './build-request.ts'
import { createSessionContext, type SessionContext } from './session-context.ts'

const sessions = new Map<string, SessionContext>()

/** The request and the context of one iteration. */
export async function build(input: BuildTask): Promise<BuildOutput> {
  let session = sessions.get(input.sessionId)
  if (session === undefined || input.from === 0) {
    if (input.from > 0) return { ok: false, reason: 'unknown_session' }
    session = createSessionContext(input)
    sessions.set(input.sessionId, session)
  }
  if (input.from > session.history.length) return { ok: false, reason: 'unknown_session' }
  return buildRequest(session, input, threadId)
}

/** Drops what is held of a session. */
export function forget(input: { sessionId: string }): { known: boolean } {
  return { known: sessions.delete(input.sessionId) }
}

export function ping(): { threadId: number } {
  return { threadId }
}
