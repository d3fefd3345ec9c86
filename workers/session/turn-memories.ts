/** Memories for a turn: looked for once, when its message is first built, and frozen with that message. */
import type { MemoryHit } from '#contracts/metona/memory-entry.ts'
import { toErrorData } from '#contracts/wire/app-error.ts'
import type { LiveSession } from './live-session.ts'
import type { Services } from './services.ts'

const MOST = 8
/** More of a long message says nothing new about what it is about. */
const ASKED_CHARACTERS = 2000

/** For the newest message of the person, unless it has been sent before: what was sent never changes. A failure costs the memories, not the turn. */
export async function memoriesForTurn(
  services: Services,
  session: LiveSession,
): Promise<{ messageId: string; hits: MemoryHit[] } | undefined> {
  const { messages } = session
  const newest = messages.findLastIndex((message) => message.role === 'user')
  const message = messages[newest]
  if (message?.id === undefined || message.turnContext !== undefined || newest < session.loggedMessages) return undefined
  try {
    const { hits } = await services.storage.ask((storage) =>
      storage.memorySearch({
        workspace: session.workspace,
        query: message.content.slice(0, ASKED_CHARACTERS),
        purpose: 'relevant',
        sessionId: session.sessionId,
        exclude: [...session.recalled],
        limit: MOST,
      }),
    )
    return { messageId: message.id, hits }
  } catch (thrown) {
    services.context.log('warn', `memories of ${session.sessionId}: ${toErrorData(thrown).message}`)
    return undefined
  }
}

/** Those that really stand in the text frozen with the message; a small budget leaves some out. */
export function frozenMemories(
  found: { readonly messageId: string; readonly hits: readonly MemoryHit[] } | undefined,
  frozen: readonly { readonly messageId: string; readonly turnContext: string }[],
): { id: string; score: number; words: string[] }[] {
  const block = frozen.find(({ messageId }) => messageId === found?.messageId)?.turnContext
  if (block === undefined || found === undefined) return []
  const stands = (text: string | undefined): boolean => text !== undefined && block.includes(`- ${text.replace(/\s+/g, ' ').trim()}`)
  return found.hits
    .filter(({ content, summary }) => stands(content) || stands(summary))
    .map(({ id, relevanceScore, words }) => ({ id, score: relevanceScore, words }))
}
