/** The message list a compaction state makes of the stored history, before it is mended and sent. */
import type { CompactionState } from '#contracts/context/compaction.ts'
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import { messageKey } from './message-text.ts'
import { isPrunable, pruneResult, shrinkMessage } from './shrink-message.ts'

/** How one message is sent: as it is, as a placeholder, or with its texts cut to so many characters. */
export type MessageForm = 'whole' | 'pruned' | number

/** Gives out a message in a form. Must give the same object for the same message and form, so that counts and hashes are kept. */
export type FormMessage = (message: MetonaMessage, form: MessageForm) => MetonaMessage

export const SUMMARY_ID = 'summary'

export function assembleHistory(
  history: readonly MetonaMessage[],
  state: CompactionState | undefined,
  form: FormMessage,
  summaryMessage: (state: CompactionState) => MetonaMessage,
): MetonaMessage[] {
  if (state === undefined) return history.map((message) => form(message, 'whole'))
  const messages: MetonaMessage[] = []
  if (state.summary !== undefined) {
    messages.push(summaryMessage(state))
    const pinned = state.pinned === undefined ? undefined : history[state.pinned]
    if (pinned !== undefined) messages.push(form(pinned, 'whole'))
  }
  const start = state.summary === undefined ? 0 : state.keptFrom
  for (let index = start; index < history.length; index++) {
    const message = history[index]
    if (message !== undefined) messages.push(form(message, formOf(message, index, state)))
  }
  return messages
}

function formOf(message: MetonaMessage, index: number, state: CompactionState): MessageForm {
  if (index < state.prunedBefore && isPrunable(message)) return 'pruned'
  const key = messageKey(message)
  return (key === undefined ? undefined : state.shrunk[key]) ?? 'whole'
}

/** The plain function behind a `FormMessage`; callers keep its results by message and form. */
export function applyForm(message: MetonaMessage, form: MessageForm): MetonaMessage {
  return form === 'whole' ? message : form === 'pruned' ? pruneResult(message) : shrinkMessage(message, form)
}

/**
 * A stored state for a history that may have changed since (a retry cuts its end, a fork its middle): places
 * are found again by id; a state that no longer fits is dropped.
 */
export function fitState(state: CompactionState, history: readonly MetonaMessage[]): CompactionState | undefined {
  if (state.keptFrom > history.length || state.prunedBefore > history.length || (state.pinned ?? 0) >= Math.max(1, history.length))
    return undefined
  const kept = history[state.keptFrom]
  if (state.keptFromId === undefined || (kept !== undefined && messageKey(kept) === state.keptFromId)) return state
  const found = history.findIndex((message) => messageKey(message) === state.keptFromId)
  return found < 0 ? undefined : { ...state, keptFrom: found, prunedBefore: Math.min(state.prunedBefore, history.length) }
}
