/** A summary without a model: what can be read off the messages themselves. The same messages give the same text. */
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import { toolResultText } from './message-text.ts'
import type { Language } from './prompt-texts.ts'
import { summaryTexts } from './summary-texts.ts'
import { cutMiddle } from './shrink-message.ts'

const MOST_FILES = 40
const MOST_COMMANDS = 10
const MOST_ANSWERS = 5
const ANSWER_CHARACTERS = 240
const EARLIER_CHARACTERS = 6_000

export interface DigestInput {
  /** What the summary stands for, oldest first. */
  readonly head: readonly MetonaMessage[]
  /** A model's summary of what came before that. */
  readonly earlier?: string
  readonly taskGoal?: string
  /** Open entries of the to-do list. */
  readonly todo: readonly string[]
}

export function digestHistory(input: DigestInput, language: Language): string {
  const texts = summaryTexts[language]
  const words = texts.digest
  const calls = input.head.flatMap((message) => message.toolCalls ?? [])
  const lastError = input.head.findLast((message) => message.toolResult?.success === false)
  const answers = input.head.filter((message) => message.role === 'assistant' && message.content.trim() !== '').slice(-MOST_ANSWERS)
  const commands = calls
    .map((call) => call.args['command'])
    .filter((command) => typeof command === 'string')
    .slice(-MOST_COMMANDS)
  const files = touchedFiles(input.head).slice(-MOST_FILES)
  const bullets = (lines: readonly string[]): string => (lines.length === 0 ? words.none : lines.map((line) => `- ${line}`).join('\n'))
  const bodies = [
    input.taskGoal ?? oneLine(input.head.find((message) => message.role === 'user')?.content ?? words.none, 300),
    words.seeQuotes,
    [
      words.messages(input.head.length, calls.length),
      ...(answers.length === 0 ? [] : [words.answers, bullets(answers.map((message) => oneLine(message.content, ANSWER_CHARACTERS)))]),
    ].join('\n'),
    input.earlier === undefined ? words.none : `${words.earlier}\n${cutMiddle(input.earlier, EARLIER_CHARACTERS).replaceAll(/^#/gm, '›#')}`,
    input.todo.length === 0 ? words.continueLast : bullets(input.todo),
    [
      ...(commands.length === 0 ? [] : [words.commands, bullets(commands.map((command) => oneLine(command, 200)))]),
      ...(lastError?.toolResult === undefined
        ? []
        : [
            words.lastError,
            oneLine(`${lastError.toolResult.toolName}: ${lastError.toolResult.error ?? toolResultText(lastError.toolResult)}`, 400),
          ]),
    ].join('\n') || words.none,
    bullets(files),
  ]
  return texts.headings.map((heading, index) => `## ${heading}\n${bodies[index] ?? words.none}`).join('\n\n')
}

/** Paths named in tool calls, each once, in the order of their last use. */
export function touchedFiles(messages: readonly MetonaMessage[]): string[] {
  const files = new Map<string, true>()
  for (const message of messages) {
    for (const call of message.toolCalls ?? []) {
      const path = call.args['file_path'] ?? call.args['path']
      if (typeof path !== 'string' || path === '' || path.length > 300) continue
      files.delete(path)
      files.set(path, true)
    }
  }
  return [...files.keys()]
}

/** Open entries of the newest `update_todo` call, whatever shape its list has. */
export function openTodo(messages: readonly MetonaMessage[]): string[] {
  for (let index = messages.length - 1; index >= 0; index--) {
    const call = messages[index]?.toolCalls?.findLast((entry) => entry.name === 'update_todo')
    if (call === undefined) continue
    const list = Object.values(call.args).find(Array.isArray) as unknown[] | undefined
    return (list ?? []).flatMap((entry): string[] => {
      if (typeof entry === 'string') return [oneLine(entry, 200)]
      if (typeof entry !== 'object' || entry === null) return []
      const fields = entry as Record<string, unknown>
      const status = typeof fields['status'] === 'string' ? fields['status'] : 'pending'
      const text = ['content', 'text', 'title', 'task', 'description']
        .map((name) => fields[name])
        .find((value) => typeof value === 'string')
      return text === undefined || /^(done|completed|cancelled)$/.test(status) ? [] : [`[${status}] ${oneLine(text as string, 200)}`]
    })
  }
  return []
}

function oneLine(text: string, most: number): string {
  return cutMiddle(text.replace(/\s+/g, ' ').trim(), most).replace(/\s+/g, ' ')
}
