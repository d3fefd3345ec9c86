/** One line that says what a call is about, for any tool, known or not. */
import type { ToolItem } from '#contracts/session/transcript-items.ts'

/** Arguments that say most, best first. */
const TELLING = ['command', 'file_path', 'url', 'pattern', 'query', 'question', 'path', 'content', 'text', 'name']

export function summariseArguments(args: ToolItem['args']): string {
  const told = TELLING.map((name) => args[name]).filter((value): value is string => typeof value === 'string' && value !== '')
  const first = told[0] ?? Object.values(args).find((value): value is string => typeof value === 'string') ?? ''
  const path = typeof args['path'] === 'string' && args['path'] !== first ? args['path'] : undefined
  const line = first.split('\n', 1)[0] ?? ''
  return path === undefined || path === '' ? line : `${line} · ${path}`
}

/** A result as readable text: strings as they are, everything else as indented JSON. */
export function resultText(result: unknown): string {
  if (result === undefined || result === null) return ''
  return typeof result === 'string' ? result : JSON.stringify(result, null, 2)
}
