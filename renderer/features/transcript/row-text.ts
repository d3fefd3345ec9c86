/** What of a row can be found by its words, shown or folded away. */
import { resultText } from './summarise-arguments.ts'
import type { TranscriptRow } from './transcript-rows.ts'

/** Characters of one tool's result that are searched; the rest is in its file. */
const RESULT_LIMIT = 200_000

export function rowText(row: TranscriptRow): string {
  if (row.kind === 'replaced') return ''
  if (row.kind === 'answer') return row.thinking === undefined ? row.text : `${row.thinking.content}\n${row.text}`
  const { item } = row
  switch (item.kind) {
    case 'user':
      return item.content
    case 'tool': {
      const values = Object.values(item.args).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
      const result = item.liveOutput ?? item.summary ?? resultText(item.result)
      return [item.name, ...values, result.slice(0, RESULT_LIMIT), item.error ?? ''].join('\n')
    }
    case 'notice':
      return item.message
    case 'turn_end':
      return item.detail ?? item.error?.message ?? ''
  }
}
