/** MEMORY.md as a list of lines that loses nothing: `serializeMemory(parseMemory(text)) === text` for every text. */
import type { MemorySection, TodoStatus } from '#contracts/metona/memory-file.ts'
import { endOfItem, findBlocks } from './memory-blocks.ts'
import { readItem, sectionOfHeading } from './memory-sections.ts'

export interface DocumentLine {
  /** Without its end; a byte order mark stays in the first one. */
  readonly raw: string
  /** Empty for a last line that has none. */
  readonly end: '' | '\n' | '\r\n' | '\r'
}

export type MemoryDocument = readonly DocumentLine[]

export function parseMemory(text: string): MemoryDocument {
  const lines: DocumentLine[] = []
  let from = 0
  for (const match of text.matchAll(/\r\n|\n|\r/g)) {
    lines.push({ raw: text.slice(from, match.index), end: match[0] as DocumentLine['end'] })
    from = match.index + match[0].length
  }
  if (from < text.length) lines.push({ raw: text.slice(from), end: '' })
  return lines
}

export function serializeMemory(document: MemoryDocument): string {
  return document.map(({ raw, end }) => raw + end).join('')
}

export interface DocumentItem {
  /** Index into the document, and that behind the last line that belongs to it. */
  readonly at: number
  readonly end: number
  /** Without the `- `. */
  readonly text: string
  /** By which items are the same: section and folded text, without status. */
  readonly key: string
  readonly problem: 'wrong_form' | 'bad_date' | undefined
  readonly status: TodoStatus | undefined
}

export interface DocumentSection {
  readonly section: MemorySection
  readonly heading: string
  /** Index of its heading, and of the line behind its last one. */
  readonly at: number
  readonly end: number
  readonly items: readonly DocumentItem[]
  /** Lines in it that are neither items nor explanations. */
  readonly others: readonly number[]
}

export interface HeaderField {
  readonly at: number
  readonly value: string
}

export interface DocumentView {
  readonly header: Readonly<Partial<Record<'version' | 'created' | 'updated' | 'workspace', HeaderField>>>
  readonly sections: readonly DocumentSection[]
  /** Indices of level-2 headings of other names. */
  readonly unknown: readonly number[]
  /** Index of a fence, and of a comment, that never closes. */
  readonly openFence: number | undefined
  readonly openComment: number | undefined
}

const HEADER = { 格式版本: 'version', 创建时间: 'created', 最后更新: 'updated', 工作空间: 'workspace' } as const
/* A line may be as long as the file: nothing in these is tried again for each blank. */
const HEADER_LINE = /^#\s*(格式版本|创建时间|最后更新|工作空间)\s*[:：](.*)$/
const ITEM = /^[-*+]\s(.*)$/

/** What the lines mean. Inside a fence or a comment that closes they mean nothing. */
export function readDocument(document: MemoryDocument): DocumentView {
  const blocks = findBlocks(document)
  const header: Partial<Record<'version' | 'created' | 'updated' | 'workspace', HeaderField>> = {}
  const sections: (Omit<DocumentSection, 'items' | 'others'> & { end: number; items: DocumentItem[]; others: number[] })[] = []
  const unknown: number[] = []
  let open: (typeof sections)[number] | undefined
  let seenHeading = false
  document.forEach(({ raw }, at) => {
    const text = at === 0 ? raw.replace(/^\uFEFF/, '') : raw
    if (blocks.hidden.has(at)) {
      if (open !== undefined) open.end = at + 1
      return
    }
    if (/^##(?!#)\s*\S/.test(text)) {
      seenHeading = true
      const section = sectionOfHeading(text)
      open =
        section === undefined ? undefined : { section, heading: text.replace(/^##\s*/, '').trim(), at, end: at + 1, items: [], others: [] }
      if (open === undefined) unknown.push(at)
      else sections.push(open)
      return
    }
    const field = seenHeading ? null : HEADER_LINE.exec(text)
    if (field !== null) {
      const name = HEADER[field[1] as keyof typeof HEADER]
      header[name] ??= { at, value: (field[2] ?? '').trim() }
      return
    }
    if (open === undefined) return
    open.end = at + 1
    const item = ITEM.exec(text)
    if (item !== null) open.items.push({ at, end: endOfItem(document, at, blocks), ...readItem(open.section, (item[1] ?? '').trim()) })
    else if (text.trim() !== '' && !text.startsWith('#')) open.others.push(at)
  })
  return { header, sections, unknown, openFence: blocks.openFence, openComment: blocks.openComment }
}
