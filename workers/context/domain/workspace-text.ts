/** What of a workspace file is worth sending: no comments, no template hints, no empty sections, within its limit. */
import { SENT_OF_MEMORY_FILE } from '#contracts/workspace/memory-file-limits.ts'
import { estimateTokens } from './class-scanner.ts'

export type PartitionFile = 'SOUL.md' | 'AGENTS.md' | 'USERS.md' | 'MEMORY.md'

/** Tokens. MEMORY.md has a limit of lines and bytes too. */
export const partitionLimits: Readonly<Record<PartitionFile, number>> = {
  'SOUL.md': 2_000,
  'AGENTS.md': 8_000,
  'USERS.md': 2_000,
  'MEMORY.md': SENT_OF_MEMORY_FILE.tokens,
}
const { lines: MEMORY_LINES, bytes: MEMORY_BYTES } = SENT_OF_MEMORY_FILE

const HEADING = /^(#{1,6})(\s+\S|\s*$)/

/**
 * Removes HTML comments, template hints and sections without any text. Text inside code fences is left as it
 * is. The empty string means that the file says nothing yet.
 */
export function cleanWorkspaceText(text: string, file: PartitionFile): string {
  const lines = dropComments(text.replaceAll('\r\n', '\n').replaceAll('\r', '\n')).split('\n')
  const kept: { text: string; level: number }[] = []
  let fence: string | undefined
  let afterSection = false
  let belowHeading = false
  for (const line of lines) {
    const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence !== undefined) {
      kept.push({ text: line, level: 0 })
      if (mark !== undefined && mark.startsWith(fence) && line.trim() === mark) fence = undefined
      continue
    }
    if (mark !== undefined) fence = mark
    const level = HEADING.exec(line)?.[1]?.length ?? 0
    // A template explains a section in `# …` lines right below its heading; they are for the person.
    const explains: boolean = level === 1 && belowHeading
    belowHeading = level === 2 || explains
    if (level === 2) afterSection = true
    // The title line of a template only repeats the file's name.
    if (level === 1 && !afterSection && line.slice(1).trim().startsWith(file)) continue
    // Every single-# line of MEMORY.md is a comment by its format; it also holds the times that change with each write.
    if (level === 1 && (file === 'MEMORY.md' || explains)) continue
    kept.push({ text: line.trimEnd(), level })
  }
  return dropEmptySections(kept)
    .map((line) => line.text)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Whatever begins first counts: a comment mark in a fence that closes is text, and so is a fence in a comment. */
function dropComments(text: string): string {
  let out = ''
  const unclosed = new Map<string, number>()
  for (let at = 0; at < text.length;) {
    const lineEnd = text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at) + 1
    const line = text.slice(at, lineEnd)
    const mark = at === 0 || text.charAt(at - 1) === '\n' ? / {0,3}(`{3,}|~{3,})/y.exec(line)?.[1] : undefined
    if (mark !== undefined && mark.length < (unclosed.get(mark.charAt(0)) ?? Infinity)) {
      const fence = new RegExp(`^ {0,3}${mark}${mark.charAt(0)}*[^\\S\\n]*(?:\\n|$(?![^]))`, 'gm')
      fence.lastIndex = lineEnd
      if (fence.test(text)) {
        out += text.slice(at, fence.lastIndex)
        at = fence.lastIndex
        continue
      }
      unclosed.set(mark.charAt(0), mark.length)
    }
    const start = line.indexOf('<!--')
    const end = start < 0 || unclosed.has('<') ? -1 : text.indexOf('-->', at + start + 4)
    // A comment that never closes is text: nothing a person wrote may vanish by accident.
    if (start >= 0 && end < 0) unclosed.set('<', 4)
    out += end < 0 ? line : line.slice(0, start)
    at = end < 0 ? lineEnd : end + 3
  }
  return out
}

/** A heading stays when text follows before the next heading of its own or a higher rank. */
function dropEmptySections(lines: readonly { text: string; level: number }[]): { text: string; level: number }[] {
  const kept: { text: string; level: number }[] = []
  /** The highest rank (smallest level) from which on, going backwards, there is text. */
  let textBelow = false
  let shallowest = Infinity
  for (let index = lines.length - 1; index >= 0; index--) {
    const line = lines[index]
    if (line === undefined) continue
    if (line.level === 0) {
      if (line.text.trim() !== '') {
        textBelow = true
        shallowest = Infinity
      }
      kept.push(line)
      continue
    }
    // Kept when text came since, unless a kept heading of the same or a higher rank claims that text.
    if (textBelow && line.level < shallowest) {
      kept.push(line)
      shallowest = line.level
    }
  }
  return kept.reverse()
}

export interface CutText {
  readonly text: string
  /** Lines left out; 0 when the text is whole. */
  readonly linesCut: number
}

/** Keeps whole lines from the top while they fit. */
export function cutToLimit(text: string, file: PartitionFile): CutText {
  return cutLines(
    text,
    partitionLimits[file],
    file === 'MEMORY.md' ? MEMORY_LINES : Infinity,
    file === 'MEMORY.md' ? MEMORY_BYTES : Infinity,
  )
}

/** @param tokens, lines, bytes most of each; a single line over the limit is cut inside. */
export function cutLines(text: string, tokens: number, lines: number, bytes: number): CutText {
  const all = text.split('\n')
  if (all.length <= lines && utf8Length(text) <= bytes && estimateTokens(text, 'deepseek') <= tokens) return { text, linesCut: 0 }
  let used = 0
  let usedBytes = 0
  let count = 0
  for (const line of all) {
    used += estimateTokens(line, 'deepseek') + 1
    usedBytes += utf8Length(line) + 1
    if (used > tokens || usedBytes > bytes || count >= lines) break
    count++
  }
  if (count > 0) return { text: all.slice(0, count).join('\n').trimEnd(), linesCut: all.length - count }
  const first = all[0] ?? ''
  let length = Math.min(first.length, tokens * 4)
  while (length > 0 && estimateTokens(first.slice(0, length), 'deepseek') > tokens) length = Math.floor(length * 0.8)
  return { text: sliceWhole(first, length), linesCut: all.length }
}

/** Never half a surrogate pair. */
export function sliceWhole(text: string, length: number): string {
  const code = text.charCodeAt(length - 1)
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? length - 1 : length)
}

function utf8Length(text: string): number {
  let bytes = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    bytes += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 2 : 3
  }
  return bytes
}

/** Headings and header lines are Chinese in every workspace; they say nothing about the person's language. */
const FORMAT_LINE = /^(##|# (MEMORY\.md|格式版本|创建时间|最后更新|工作空间))/

/** Which of our two languages a text is in: Chinese as soon as a twelfth of its letters are Han. */
export function languageOf(text: string): 'zh' | 'en' {
  let han = 0
  let latin = 0
  for (const line of text.split('\n')) {
    if (FORMAT_LINE.test(line)) continue
    for (let index = 0; index < line.length; index++) {
      const code = line.charCodeAt(index)
      if (code >= 0x4e00 && code <= 0x9fff) han++
      else if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) latin++
    }
  }
  return han > 0 && han * 11 >= latin ? 'zh' : 'en'
}
