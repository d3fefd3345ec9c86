/** A stored session for people and other programs: Markdown, JSON, HTML. The terminal and the page write the same. */
import { emptySnapshot, reduceSession } from '../session/reduce-session.ts'
import type { SessionEvent } from '../session/session-event.ts'
import type { ExportLanguage } from './export-words.ts'
import { sessionHtml } from './session-html.ts'
import { sessionMarkdown } from './session-markdown.ts'

export type ExportFormat = 'md' | 'json' | 'html'

/** @param events all of one session, oldest first. */
export function exportSession(format: ExportFormat, events: readonly SessionEvent[], language: ExportLanguage): string {
  const sessionId = events[0]?.sessionId ?? ''
  if (format === 'json') return `${JSON.stringify({ sessionId, events }, null, 2)}\n`
  const snapshot = reduceSession(emptySnapshot(sessionId), events)
  return format === 'md' ? sessionMarkdown(snapshot, language) : sessionHtml(snapshot, language)
}
