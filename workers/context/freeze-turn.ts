/** Freezes what joins the newest messages: the day, the goal, memories, changed files. */
import { canonicalJson } from '#contracts/context/canonical-json.ts'
import type { BuildTask } from '#contracts/context/context-tasks.ts'
import { messageKey } from './domain/message-text.ts'
import { promptTexts, type Language } from './domain/prompt-texts.ts'
import { composeSystemPrompt, partitionFiles, type WorkspaceFileText } from './domain/system-prompt.ts'
import { changeLines, contextBlock, memoryLines, type LocalDay } from './domain/turn-context.ts'
import { cleanWorkspaceText, languageOf, type PartitionFile } from './domain/workspace-text.ts'
import type { SessionContext } from './session-context.ts'

/** Freezes the system prompt from the four files. @returns notes for the person. */
export function freezePrompt(session: SessionContext, userInput: string): readonly string[] {
  const files = partitionFiles.map((file) => partition(session, file))
  const fresh = composeSystemPrompt(files, { workspace: session.workspace, platform: process.platform }, userInput)
  session.changes = {}
  session.renewPrompt = false
  // The same object while nothing changed: estimates hold on to it.
  if (session.frozen !== undefined && canonicalJson(session.frozen.systemPrompt) === canonicalJson(fresh.systemPrompt))
    session.frozen = { ...fresh, systemPrompt: session.frozen.systemPrompt }
  else session.frozen = fresh
  return session.frozen.notes
}

/** Takes up those of the four files that this build looked at again. */
export function noticeChanges(session: SessionContext): void {
  for (const file of partitionFiles) {
    const agreed = session.files.agreed(file)
    if (agreed !== undefined) session.changes[file] = cleanWorkspaceText(agreed.text, file)
  }
}

/**
 * Gives every user message that has none its frozen text. The day is told when it differs from the previous
 * user message's; goal, memories and changed files only on the newest.
 * @returns what was frozen now, by message id.
 */
export function freezeTurns(session: SessionContext, input: BuildTask): { messageId: string; turnContext: string }[] {
  const workspaceLanguage = session.frozen?.language ?? 'en'
  const frozen: { messageId: string; turnContext: string }[] = []
  const newest = session.history.findLastIndex((message) => message.role === 'user')
  let day = ''
  for (const [index, message] of session.history.entries()) {
    if (message.role !== 'user') continue
    const previousDay = day
    const today = localDay(message.timestamp)
    day = today.date
    const key = messageKey(message)
    if (key === undefined || session.turnContexts.has(key)) continue
    if (message.turnContext !== undefined) {
      session.turnContexts.set(key, message.turnContext)
      if (input.taskGoal !== undefined && message.turnContext.includes(input.taskGoal)) session.announcedGoal = input.taskGoal
      continue
    }
    // In the language the person writes in: the block is read as part of what they said.
    const language = /\p{L}/u.test(message.content) ? languageOf(message.content) : workspaceLanguage
    const lines = today.date === previousDay ? [] : [promptTexts[language].contextDate(today.date, today.weekday)]
    if (index === newest) lines.push(...newestLines(session, input, language))
    const block = contextBlock(lines) ?? ''
    session.turnContexts.set(key, block)
    if (block !== '') frozen.push({ messageId: key, turnContext: block })
  }
  return frozen
}

function newestLines(session: SessionContext, input: BuildTask, language: Language): string[] {
  const texts = promptTexts[language]
  const lines: string[] = []
  const goal = input.taskGoal?.trim() === '' ? undefined : input.taskGoal?.trim()
  if (goal !== session.announcedGoal) {
    lines.push(goal === undefined ? texts.contextGoalGone : texts.contextGoal(goal))
    session.announcedGoal = goal
  }
  for (const [file, after] of Object.entries(session.changes) as [PartitionFile, string][]) {
    lines.push(...changeLines(file, session.frozen?.sources[file] ?? '', after, language))
    if (session.frozen !== undefined) session.frozen = { ...session.frozen, sources: { ...session.frozen.sources, [file]: after } }
  }
  session.changes = {}
  lines.push(...memoryLines(input.memories ?? [], language))
  return lines
}

function partition(session: SessionContext, file: PartitionFile): WorkspaceFileText {
  const { text = '', refused } = session.files.agreed(file) ?? {}
  return { file, text: text === '' ? undefined : text, ...(refused === undefined ? {} : { refused }) }
}

function localDay(timestamp: number): LocalDay {
  const date = new Date(timestamp)
  const two = (value: number): string => String(value).padStart(2, '0')
  return { date: `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`, weekday: date.getDay() }
}
