/** The block frozen with a message: date, goal, memories, changed files, folder rules. */
import type { MetonaMemoryItem } from '#contracts/metona/metona-memory.ts'
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import { estimateTokens } from './class-scanner.ts'
import { resultBody } from './message-text.ts'
import { ownMarks, withoutMarks } from './own-marks.ts'
import { promptTexts, type Language } from './prompt-texts.ts'

const MOST_MEMORIES = 8
const MEMORY_TOKENS = 1_500
const CHANGE_TOKENS = 1_000

export interface LocalDay {
  /** YYYY-MM-DD in the person's time zone. */
  readonly date: string
  /** 0 is Sunday. */
  readonly weekday: number
}

/** The lines of one user turn, already chosen; an empty list makes no block. */
export function contextBlock(lines: readonly string[]): string | undefined {
  return lines.length === 0 ? undefined : `<context>\n${withoutMarks(lines.join('\n'), 'context')}\n</context>`
}

export function memoryLines(memories: readonly MetonaMemoryItem[], language: Language): string[] {
  const lines: string[] = []
  let used = 0
  for (const memory of memories.slice(0, MOST_MEMORIES)) {
    const whole = oneLine(memory.content)
    const brief = memory.summary === undefined ? undefined : oneLine(memory.summary)
    const line = [whole, brief].find(
      (text): text is string => text !== undefined && used + estimateTokens(text, 'deepseek') <= MEMORY_TOKENS,
    )
    if (line === undefined) continue
    used += estimateTokens(line, 'deepseek')
    // In text of others no mark of ours means anything, whatever block it stands in.
    lines.push(`- ${withoutMarks(line, ...ownMarks)}`)
  }
  return lines.length === 0 ? [] : [promptTexts[language].contextMemories, ...lines]
}

/** What to tell of a file that changed after it was frozen into the system prompt. */
export function changeLines(file: string, before: string, after: string, language: Language): string[] {
  const texts = promptTexts[language]
  const old = new Set(before.split('\n').map((line) => line.trim()))
  const now = new Set(after.split('\n').map((line) => line.trim()))
  const added = after.split('\n').filter((line) => line.trim() !== '' && !old.has(line.trim()))
  const removed = before.split('\n').filter((line) => line.trim() !== '' && !now.has(line.trim()))
  if (added.length === 0 && removed.length === 0) return []
  const told = (part: readonly string[]): string[] => part.map((line) => withoutMarks(line, ...ownMarks))
  const lines = [texts.contextChanged(file), ...told(added), ...(removed.length === 0 ? [] : [texts.contextRemovedLines, ...told(removed)])]
  return estimateTokens(lines.join('\n'), 'deepseek') <= CHANGE_TOKENS ? lines : [texts.contextTooLong(file)]
}

/** The message as it is sent, its frozen text joined. Messages without one are returned as they are. */
export function withTurnContext(asRead: MetonaMessage, turnContext: string | undefined): MetonaMessage {
  const message = withOwnRulesOnly(asRead)
  if (turnContext === undefined && message.turnContext === undefined) return message
  const { turnContext: _own, ...kept } = message
  if (turnContext === undefined) return kept
  if (kept.toolResult !== undefined)
    return { ...kept, toolResult: { ...kept.toolResult, summary: `${resultBody(kept.toolResult)}\n\n${turnContext}` } }
  return { ...kept, content: kept.content === '' ? turnContext : `${kept.content}\n\n${turnContext}` }
}

/** What a tool read must not pass for rules of a folder, which come with results too. */
function withOwnRulesOnly(message: MetonaMessage): MetonaMessage {
  if (message.toolResult === undefined) return message
  const body = resultBody(message.toolResult)
  const clean = withoutMarks(body, 'folder_rules')
  return clean === body ? message : { ...message, toolResult: { ...message.toolResult, summary: clean } }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
