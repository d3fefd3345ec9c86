/** One item of a transcript as plain text. */
import type { TranscriptItem } from '../session/transcript-item.ts'
import { elapsed } from './elapsed.ts'
import { exportWords, type ExportLanguage } from './export-words.ts'

/** Empty for an item that says nothing. */
export function itemText(item: TranscriptItem, language: ExportLanguage): string {
  const words = exportWords[language]
  switch (item.kind) {
    case 'user':
      return `${words.user}:\n${item.content}`
    case 'assistant':
      return item.text === '' ? '' : `${words.assistant} (${item.model ?? ''}):\n${item.text}`
    case 'tool':
      return `${words.tool}: ${item.name} ${JSON.stringify(item.args)}\n→ ${item.status} ${outcomeText(item)}`
    case 'notice':
      return words.notice(item.message)
    case 'turn_end':
      return `${words.ended(item.reason)} · ${elapsed(item.durationMs, language)}`
  }
}

/** What a tool call came to: its error, its summary, or its result. */
export function outcomeText(item: Extract<TranscriptItem, { kind: 'tool' }>): string {
  if (item.error !== undefined) return item.error
  if (item.summary !== undefined) return item.summary
  return typeof item.result === 'string' ? item.result : item.result === undefined ? '' : JSON.stringify(item.result)
}
