/**
 * Reads a command line that consists of plain words only and says exactly which programs it starts
 * with which arguments. Everything the shell would expand, compute, redirect into a file or run
 * elsewhere is not read: such a line is for a person to judge. The language is the part that bash and
 * every POSIX shell read alike.
 */

import type { CommandPartCode } from '#contracts/tools/approval-reasons.ts'

export interface CommandPart {
  /** The words as the program gets them, quotes taken off. */
  readonly argv: readonly string[]
  /** As written, for showing and for grants. */
  readonly text: string
}

export type ParsedCommandLine =
  | { readonly ok: true; readonly parts: readonly CommandPart[] }
  | { readonly ok: false; readonly reason: CommandPartCode }

/** Words of the shell's own language where a command is expected. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set([
  'if',
  'then',
  'else',
  'elif',
  'fi',
  'for',
  'while',
  'until',
  'do',
  'done',
  'case',
  'esac',
  'in',
  'select',
  'function',
  'time',
  'coproc',
])
const PLAIN = /[\p{L}\p{N}\p{M}_\-./:=,+@%^]/u
/** Output to nowhere, and one stream into the other, change nothing. */
const HARMLESS_REDIRECT = /^(?:[12]?>>?[ \t]*\/dev\/null|2>&1|1>&2|>&2)(?=$|[\s;|&])/
const MAX_LENGTH = 4000

const REFUSED: Readonly<Record<string, CommandPartCode>> = {
  $: 'variable',
  '`': 'substitution',
  '\\': 'backslash',
  '(': 'subshell',
  ')': 'subshell',
  '{': 'braces',
  '}': 'braces',
  '*': 'pattern',
  '?': 'pattern',
  '[': 'pattern',
  ']': 'pattern',
  '~': 'home',
  '!': 'exclamation',
  '#': 'comment',
  '<': 'input',
  '>': 'output',
  '&': 'background',
}

export function parseCommandLine(line: string): ParsedCommandLine {
  if (line.length > MAX_LENGTH) return { ok: false, reason: 'length' }
  const reader = new Reader(line)
  const reason = reader.read()
  return reason === undefined ? { ok: true, parts: reader.parts } : { ok: false, reason }
}

class Reader {
  readonly parts: CommandPart[] = []
  private readonly line: string
  private at = 0
  private words: string[] = []
  private word: string | undefined
  /** The command word was written without quotes: only then is it looked for among reserved words. */
  private firstIsBare = true
  private partStart = 0
  private operatorBefore = false

  constructor(line: string) {
    this.line = line
  }

  /** @returns why the line is not plain, or nothing. */
  read(): CommandPartCode | undefined {
    while (this.at < this.line.length) {
      const problem = this.step()
      if (problem !== undefined) return problem
    }
    const problem = this.endPart()
    if (problem !== undefined) return problem
    if (this.operatorBefore) return 'operator'
    return this.parts.length === 0 ? 'nothing' : undefined
  }

  private step(): CommandPartCode | undefined {
    const character = String.fromCodePoint(this.line.codePointAt(this.at) ?? 0)
    if (character === ' ' || character === '\t') {
      this.endWord()
      this.at++
      return undefined
    }
    if (character === "'" || character === '"') return this.quoted(character)
    if (character === '\n' || character === ';') return this.separator()
    if (character === '|' || (character === '&' && this.line[this.at + 1] === '&')) return this.connector(character)
    if (this.word === undefined) {
      const redirect = HARMLESS_REDIRECT.exec(this.line.slice(this.at))
      if (redirect !== null && this.words.length > 0) {
        this.at += redirect[0].length
        return undefined
      }
    }
    const refused = REFUSED[character]
    if (refused !== undefined) return refused
    if (!PLAIN.test(character)) return 'character'
    if (this.word === undefined) {
      this.startWord()
      if (this.words.length === 0) this.firstIsBare = true
    }
    this.word = (this.word ?? '') + character
    this.at += character.length
    return undefined
  }

  private quoted(quote: string): CommandPartCode | undefined {
    const end = this.line.indexOf(quote, this.at + 1)
    if (end < 0) return 'quote'
    const inner = this.line.slice(this.at + 1, end)
    if (quote === '"' && /[$`\\]/.test(inner)) return 'variable'
    if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(inner)) return 'character'
    if (this.word === undefined) this.startWord()
    if (this.words.length === 0) this.firstIsBare = false
    this.word = (this.word ?? '') + inner
    this.at = end + 1
    return undefined
  }

  /** `;` or a line end. */
  private separator(): CommandPartCode | undefined {
    if (this.line[this.at] === ';' && this.line[this.at + 1] === ';') return 'operator'
    const lineEnd = this.line[this.at] === '\n'
    const had = this.words.length > 0 || this.word !== undefined
    const problem = this.endPart()
    if (problem !== undefined) return problem
    if (!had && !lineEnd) return 'operator'
    // After `&&`, `||` and `|` a line end is allowed and the command follows on a later line.
    if (had) this.operatorBefore = false
    this.at++
    this.partStart = this.at
    return undefined
  }

  private connector(character: string): CommandPartCode | undefined {
    const double = this.line[this.at + 1] === character
    const length = double ? 2 : 1
    const next = this.line[this.at + length]
    if (next === '&' || next === '|') return 'operator'
    if (this.words.length === 0 && this.word === undefined) return 'operator'
    const problem = this.endPart()
    if (problem !== undefined) return problem
    this.operatorBefore = true
    this.at += length
    this.partStart = this.at
    return undefined
  }

  private startWord(): void {
    if (this.words.length === 0) this.partStart = this.at
  }

  private endWord(): void {
    if (this.word === undefined) return
    this.words.push(this.word)
    this.word = undefined
  }

  private endPart(): CommandPartCode | undefined {
    this.endWord()
    if (this.words.length === 0) return undefined
    const [first] = this.words as [string]
    if (first === '') return 'nothing'
    if (this.firstIsBare && RESERVED_WORDS.has(first)) return 'shell_word'
    if (first.includes('=')) return 'assignment'
    this.parts.push({ argv: this.words, text: this.line.slice(this.partStart, this.at).trim() })
    this.words = []
    this.firstIsBare = true
    this.operatorBefore = false
    return undefined
  }
}
