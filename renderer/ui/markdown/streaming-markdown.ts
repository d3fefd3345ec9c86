/**
 * Cuts a growing Markdown text into top-level blocks. A block that is followed by another one never changes
 * again, so it is parsed once and keeps its identity; only the last block is parsed anew as text comes in.
 */
import MarkdownIt from 'markdown-it'
import { healTail } from './heal-tail.ts'

export type MarkdownToken = ReturnType<InstanceType<typeof MarkdownIt>['parse']>[number]

export interface MarkdownBlock {
  /** Offset in the text: stable while the text only grows. */
  readonly key: number
  readonly tokens: readonly MarkdownToken[]
}

/** Raw HTML is text here; addresses are checked when the link is made, not by the parser. */
const parser = new MarkdownIt({ html: false, linkify: true, breaks: true, typographer: false })
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false })
parser.validateLink = () => true

const LEAF_TOKENS: ReadonlySet<string> = new Set(['fence', 'code_block', 'hr'])

export class StreamingMarkdown {
  #text = ''
  #finished: MarkdownBlock[] = []
  #finishedUpTo = 0
  /** Link definitions of earlier blocks hold for later ones. */
  #environment: Record<string, unknown> = {}

  /** `growing`: more may follow, so the last block is shown healed and kept open. */
  update(text: string, growing: boolean): readonly MarkdownBlock[] {
    if (!text.startsWith(this.#text.slice(0, this.#finishedUpTo))) this.#restart()
    this.#text = text
    const offset = this.#finishedUpTo
    const tail = text.slice(offset)
    const groups = groupTopLevel(parser.parse(tail, this.#environment))
    const last = groups.pop()
    const starts = lineStarts(tail)
    for (const group of groups) this.#finished.push({ key: offset + (starts[group.line] ?? 0), tokens: group.tokens })
    if (last === undefined) return [...this.#finished]
    const lastStart = starts[last.line] ?? 0
    this.#finishedUpTo = offset + lastStart
    return [...this.#finished, { key: this.#finishedUpTo, tokens: growing ? this.#heal(last, tail.slice(lastStart)) : last.tokens }]
  }

  #heal(group: TokenGroup, source: string): readonly MarkdownToken[] {
    if (LEAF_TOKENS.has(group.tokens[0]?.type ?? '')) return group.tokens
    const healed = healTail(source)
    return healed === source ? group.tokens : parser.parse(healed, { ...this.#environment })
  }

  get started(): boolean {
    return this.#text !== ''
  }

  #restart(): void {
    this.#finished = []
    this.#finishedUpTo = 0
    this.#environment = {}
  }
}

interface TokenGroup {
  readonly line: number
  readonly tokens: MarkdownToken[]
}

function groupTopLevel(tokens: readonly MarkdownToken[]): TokenGroup[] {
  const groups: TokenGroup[] = []
  let depth = 0
  for (const token of tokens) {
    if (depth === 0) groups.push({ line: token.map?.[0] ?? 0, tokens: [] })
    groups.at(-1)?.tokens.push(token)
    depth += token.nesting
  }
  return groups
}

/** Counts lines as the parser does: CRLF and a lone CR end one too. */
function lineStarts(text: string): number[] {
  const starts = [0]
  for (const match of text.matchAll(/\r\n?|\n/g)) starts.push(match.index + match[0].length)
  return starts
}

/** Characters of finished texts whose blocks are kept: a row that comes back into view is not parsed again. */
const MOST_KEPT = 3_000_000
const kept = new Map<string, readonly MarkdownBlock[]>()
let keptLength = 0

/** The blocks of a text that will not change any more. */
export function finishedBlocks(text: string): readonly MarkdownBlock[] {
  const known = kept.get(text)
  if (known !== undefined) return known
  const blocks = new StreamingMarkdown().update(text, false)
  kept.set(text, blocks)
  keptLength += text.length
  for (const oldest of kept.keys()) {
    if (keptLength <= MOST_KEPT || kept.size === 1) break
    kept.delete(oldest)
    keptLength -= oldest.length
  }
  return blocks
}
