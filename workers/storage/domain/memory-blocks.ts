/** Which lines of a document hang together: fences and comments that close, and an item with what belongs to it. */
import type { DocumentLine } from './memory-document.ts'

export interface Block {
  readonly kind: 'fence' | 'comment'
  /** Index of its last line. */
  readonly last: number
}

export interface Blocks {
  /** By the index of their first line. */
  readonly at: ReadonlyMap<number, Block>
  /** Lines that mean nothing: in a fence, or in a comment, which nobody is sent. */
  readonly hidden: ReadonlySet<number>
  /** Index of a fence, and of a comment, that never closes; those are text, or they would swallow the file. */
  readonly openFence: number | undefined
  readonly openComment: number | undefined
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/
const BEGINS_SOMETHING = /^ ?(?:#|(?:[-*+]|\d{1,9}[.)])(?:\s|$)|(?:\*[ \t]*){3,}$|(?:-[ \t]*){3,}$|(?:_[ \t]*){3,}$)/
/** Less is no part of an item behind a blank line. */
const INDENTED = 2

/** Whatever begins first counts: a comment mark in a fence is text, and so is a fence in a comment. */
export function findBlocks(lines: readonly DocumentLine[]): Blocks {
  const at = new Map<number, Block>()
  const hidden = new Set<number>()
  const closers = closersOf(lines)
  let openFence: number | undefined
  let openComment: number | undefined
  for (let index = 0; index < lines.length; index++) {
    const raw = lines[index]?.raw ?? ''
    const mark = FENCE.exec(raw)?.[1]
    const closed = mark === undefined ? undefined : closers.fence(index, mark)
    if (closed !== undefined) {
      at.set(index, { kind: 'fence', last: closed })
      for (let inside = index; inside <= closed; inside++) hidden.add(inside)
      index = closed
      continue
    }
    if (mark !== undefined) openFence ??= index
    const first = index
    let last = index
    let visible = false
    for (let from = 0; ;) {
      const text = lines[last]?.raw ?? ''
      const start = text.indexOf('<!--', from)
      const end = start < 0 ? undefined : closers.comment(last, start + 4)
      if (last === first && text.slice(from, end === undefined ? undefined : start).trim() !== '') visible = true
      if (start >= 0 && end === undefined) openComment ??= last
      if (end === undefined) break
      for (let inside = last + 1; inside <= end.line; inside++) hidden.add(inside)
      last = end.line
      from = end.behind
    }
    if (raw.includes('<!--') && !visible) hidden.add(first)
    if (last > first || hidden.has(first)) at.set(first, { kind: 'comment', last })
    index = last
  }
  return { at, hidden, openFence, openComment }
}

/** A mark that once found no end is not looked for again, or a file of nothing else would take for ever. */
function closersOf(lines: readonly DocumentLine[]): {
  fence: (index: number, mark: string) => number | undefined
  comment: (line: number, from: number) => { line: number; behind: number } | undefined
} {
  const missing = new Map<string, number>()
  let noComment = false
  return {
    fence: (index, mark) => {
      const kind = mark.charAt(0)
      if (mark.length >= (missing.get(kind) ?? Infinity)) return undefined
      for (let at = index + 1; at < lines.length; at++) {
        const found = FENCE.exec(lines[at]?.raw ?? '')
        if (found?.[1]?.startsWith(mark) === true && (found[2] ?? '').trim() === '') return at
      }
      missing.set(kind, mark.length)
      return undefined
    },
    comment: (line, from) => {
      for (let at = line; at < lines.length && !noComment; at++) {
        const end = (lines[at]?.raw ?? '').indexOf('-->', at === line ? from : 0)
        if (end >= 0) return { line: at, behind: end + 3 }
      }
      noComment = true
      return undefined
    },
  }
}

/**
 * Index behind the last line that belongs to the item at `start`: what follows it at once, or is indented, also behind blank lines; up
 * to the next item, heading or rule. Blank lines at its end are not its own.
 */
export function endOfItem(lines: readonly DocumentLine[], start: number, blocks: Blocks): number {
  let end = (blocks.at.get(start)?.last ?? start) + 1
  let afterBlank = false
  for (let index = end; index < lines.length;) {
    const raw = lines[index]?.raw ?? ''
    const block = blocks.at.get(index)
    const indented = indentOf(raw) >= INDENTED
    if (block === undefined && raw.trim() === '') {
      afterBlank = true
      index++
      continue
    }
    const joined = block?.kind === 'fence' || (block === undefined && !BEGINS_SOMETHING.test(raw))
    if (!indented && (afterBlank || !joined)) break
    end = index = (block?.last ?? index) + 1
    afterBlank = false
  }
  return end
}

function indentOf(raw: string): number {
  let width = 0
  for (const character of raw) {
    if (character === ' ') width++
    else if (character === '\t') width += 4 - (width % 4)
    else break
  }
  return width
}
