/** Asking a model for the summary, and judging what it gave. */
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import { toolResultText } from './message-text.ts'
import type { Language } from './prompt-texts.ts'
import { cutMiddle } from './shrink-message.ts'
import { summaryTexts } from './summary-texts.ts'

export const SUMMARY_OUTPUT_TOKENS = 4_096
const RESULT_CHARACTERS = 2_000

/** The instruction that ends a suffix call: the live conversation stays in front of it, byte for byte. */
export function suffixInstruction(
  language: Language,
  instructions: string | undefined,
  updating: boolean,
  timestamp: number,
): MetonaMessage {
  return { role: 'user', content: summaryTexts[language].instruction(instructions, updating), timestamp, id: 'compaction_instruction' }
}

/** The conversation as one text for a separate call, newest part kept when `most` tokens do not hold it all. */
export function transcriptText(head: readonly MetonaMessage[], most: number, count: (text: string) => number): string {
  const parts: string[] = []
  let left = most
  for (let index = head.length - 1; index >= 0; index--) {
    const message = head[index]
    if (message === undefined) continue
    const part = lineOf(message)
    left -= count(part)
    if (left < 0 && parts.length > 0) break
    parts.unshift(left < 0 ? cutMiddle(part, Math.max(2_000, most * 2)) : part)
  }
  return parts.join('\n')
}

function lineOf(message: MetonaMessage): string {
  const calls = (message.toolCalls ?? [])
    .map((call) => `\n[call ${call.name} ${cutMiddle(JSON.stringify(call.args), RESULT_CHARACTERS)}]`)
    .join('')
  const text =
    message.toolResult === undefined
      ? cutMiddle(message.content, RESULT_CHARACTERS * 4)
      : `${message.toolResult.toolName}: ${cutMiddle(toolResultText(message.toolResult), RESULT_CHARACTERS)}`
  return `[${message.role}] ${text}${calls}`
}

export interface SummaryAnswer {
  readonly content: string
  readonly finishReason: string
  readonly toolCalls?: readonly unknown[] | undefined
}

/** A usable summary has every heading and asked for no tool; anything else is refused rather than repaired. */
export function isUsableSummary(answer: SummaryAnswer, language: Language): boolean {
  if (answer.finishReason !== 'stop' || (answer.toolCalls?.length ?? 0) > 0) return false
  const lines = answer.content.split('\n').filter((line) => /^#{1,4}\s/.test(line.trim()))
  return [language, language === 'zh' ? ('en' as const) : ('zh' as const)].some((tongue) =>
    summaryTexts[tongue].headings.every((heading) => lines.some((line) => line.toLowerCase().includes(heading.toLowerCase()))),
  )
}
