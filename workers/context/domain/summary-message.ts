/** The text that stands for the compacted part: the summary, the person's own words, the state that must not get lost. */
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import { messageKey } from './message-text.ts'
import { withoutMarks } from './own-marks.ts'
import type { Language } from './prompt-texts.ts'
import { SUMMARY_ID } from './assemble-history.ts'
import { summaryTexts } from './summary-texts.ts'

const MOST_QUOTED_TOKENS = 8_000

export interface SummaryParts {
  readonly summary: string
  /** User messages before the cut, oldest first; the pinned one is sent by itself. */
  readonly quoted: readonly MetonaMessage[]
  readonly taskGoal?: string
  readonly todo: readonly string[]
  readonly files: readonly string[]
  readonly carryOver: readonly string[]
  /** Messages dropped without being summarised. */
  readonly omitted: number
}

/** @param quoteTokens most tokens of quoted user messages; newest ones are kept. */
export function summaryText(parts: SummaryParts, language: Language, quoteTokens: number, count: (text: string) => number): string {
  const texts = summaryTexts[language]
  const quotes: string[] = []
  let left = Math.min(MOST_QUOTED_TOKENS, quoteTokens)
  for (let index = parts.quoted.length - 1; index >= 0; index--) {
    const message = parts.quoted[index]
    if (message === undefined) continue
    const quote = quoteOf(message, texts.image)
    left -= count(quote)
    if (left < 0) break
    quotes.unshift(quote)
  }
  const state = [
    ...(parts.taskGoal === undefined ? [] : [inside(texts.goal(parts.taskGoal))]),
    ...(parts.todo.length === 0 ? [] : [texts.todoTitle, ...parts.todo.map((entry) => `- ${inside(entry)}`)]),
    ...(parts.files.length === 0 ? [] : [texts.filesTitle, ...parts.files.map((file) => `- ${inside(file)}`)]),
    ...(parts.carryOver.length === 0 ? [] : [texts.carriedTitle, ...parts.carryOver.map((line) => `- ${inside(line)}`)]),
  ]
  const omittedQuotes = parts.quoted.length - quotes.length
  return [
    '<summary>',
    texts.intro,
    '',
    inside(parts.summary),
    ...(parts.omitted === 0 ? [] : ['', texts.omitted(parts.omitted)]),
    ...(parts.quoted.length === 0
      ? []
      : ['', `## ${texts.quotesTitle}`, ...(omittedQuotes === 0 ? [] : [texts.quotesOmitted(omittedQuotes)]), ...quotes]),
    ...(state.length === 0 ? [] : ['', `## ${texts.stateTitle}`, ...state]),
    '</summary>',
  ].join('\n')
}

/** The message is a user's because every provider takes that role first; its marks say what it is. */
export function summaryMessage(text: string, timestamp: number): MetonaMessage {
  return { role: 'user', content: text, timestamp, id: SUMMARY_ID }
}

/** A summary of text that strangers wrote must not end the summary, nor put words into the person's mouth. */
function inside(text: string): string {
  return withoutMarks(text, 'summary', 'user_message')
}

function quoteOf(message: MetonaMessage, image: string): string {
  const images = message.images === undefined || message.images.length === 0 ? '' : ` ${image.repeat(message.images.length)}`
  return `<user_message${messageKey(message) === undefined ? '' : ` id="${messageKey(message) ?? ''}"`}>\n${inside(message.content)}${images}\n</user_message>`
}
