/** The five sections of MEMORY.md: their headings, and the form of an item in each. */
import type { MemorySection, TodoStatus } from '#contracts/metona/memory-file.ts'
import { foldText } from './text-likeness.ts'

export const sectionHeadings: Readonly<Record<MemorySection, string>> = {
  preferences: '用户偏好',
  context: '项目上下文',
  decisions: '重要决策',
  todo: '待办事项',
  issues: '已知问题',
}

export const sectionForms: Readonly<Record<MemorySection, string>> = {
  preferences: '- [类别] 内容描述',
  context: '- [项目名] 关键信息',
  decisions: '- YYYY-MM-DD: 决策内容',
  todo: '- [pending|done|cancelled] 任务描述',
  issues: '- 问题描述 | 影响范围 | 解决方案',
}

export const sectionNames = Object.keys(sectionHeadings) as MemorySection[]

const LONGEST_HEADING = 200

/** A translation in brackets may follow the name, as in the other files of a workspace. */
export function sectionOfHeading(line: string): MemorySection | undefined {
  if (line.length > LONGEST_HEADING) return undefined
  const name = line
    .replace(/^##\s*/, '')
    .replace(/\s*[(（][^()（）]*[)）]\s*$/, '')
    .trim()
  return sectionNames.find((section) => sectionHeadings[section] === name)
}

export interface ItemReading {
  readonly text: string
  readonly key: string
  readonly problem: 'wrong_form' | 'bad_date' | undefined
  readonly status: TodoStatus | undefined
}

const STATUS = /^\[(pending|done|cancelled|x|X| )\]\s+(?=\S)/
const READ_AS: Readonly<Record<string, TodoStatus>> = { ' ': 'pending', x: 'done', X: 'done' }

/** @param text an item without its `- `. `[ ]` and `[x]`, as other programs write them, are read as pending and done. */
export function readItem(section: MemorySection, text: string): ItemReading {
  const key = keyOf(section, text)
  const reading = (problem: ItemReading['problem'], status?: TodoStatus): ItemReading => ({ text, key, problem, status })
  switch (section) {
    case 'preferences':
    case 'context':
      return reading(/^\[[^[\]]+\]\s+\S/.test(text) ? undefined : 'wrong_form')
    case 'decisions': {
      const date = /^(\d{4})-(\d{2})-(\d{2})\s*[:：]\s*\S/.exec(text)
      if (date === null) return reading('wrong_form')
      return reading(isRealDate(Number(date[1]), Number(date[2]), Number(date[3])) ? undefined : 'bad_date')
    }
    case 'todo': {
      const mark = STATUS.exec(text)?.[1]
      return mark === undefined ? reading('wrong_form') : reading(undefined, READ_AS[mark] ?? (mark as TodoStatus))
    }
    case 'issues': {
      const parts = text.replaceAll('\\|', '').split('|')
      return reading(parts.length === 3 && parts.every((part) => part.trim() !== '') ? undefined : 'wrong_form')
    }
  }
}

export function keyOf(section: MemorySection, text: string): string {
  return `${section}\n${foldText(section === 'todo' ? text.replace(STATUS, '') : text)}`
}

/** The item with another status. */
export function withStatus(text: string, status: TodoStatus): string {
  return `[${status}] ${text.replace(STATUS, '')}`
}

function isRealDate(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}
