/** A stored session as plain text for the terminal. */
import { itemText } from '#contracts/export/item-text.ts'
import { emptySnapshot, reduceSession } from '#contracts/session/reduce-session.ts'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import type { Language } from './language.ts'
import { plainText } from './plain-text.ts'

export function transcriptText(events: readonly SessionEvent[], language: Language): string {
  const { items } = reduceSession(emptySnapshot(events[0]?.sessionId ?? ''), events)
  return `${items
    .map((item) => plainText(itemText(item, language)))
    .filter((text) => text !== '')
    .join('\n\n')}\n`
}
