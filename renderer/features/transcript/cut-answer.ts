/**
 * Cuts a long answer into pieces that are rows of their own, so that two megabytes of Markdown are never on the page at
 * once. A piece that is followed by another never changes again. The cut is made where Markdown does not notice: at a
 * blank line outside of code; a code block or paragraph that never ends is cut by force, the code block opened anew.
 */

/** From this length on a piece ends at the next good place, in UTF-16 code units. */
const SOFT_LIMIT = 12 * 1024
/** No piece is longer than about this. */
const HARD_LIMIT = 24 * 1024

export interface AnswerPiece {
  /** Where it begins in the whole text: stable while the text only grows. */
  readonly start: number
  /** Its Markdown, a cut code block opened and closed. */
  readonly text: string
}

export class AnswerCutter {
  #text = ''
  #sealed: AnswerPiece[] = []
  #from = 0
  /** The line that opens the code block the current piece begins in. */
  #reopen = ''

  /** All pieces of `text`; the last one may still grow. Text that does not continue the last one is cut anew. */
  update(text: string): readonly AnswerPiece[] {
    if (text.length < this.#from || !text.startsWith(this.#text.slice(0, 64))) this.#restart()
    this.#text = text
    while (text.length - this.#from > SOFT_LIMIT) {
      const cut = findCut(text, this.#from, this.#reopen)
      if (cut === undefined) break
      this.#sealed.push(this.#piece(cut.at, cut.fence === '' ? '' : closingOf(cut.fence)))
      this.#from = cut.at
      this.#reopen = cut.fence
    }
    return [...this.#sealed, this.#piece(text.length, '')]
  }

  #piece(end: number, closing: string): AnswerPiece {
    const opening = this.#reopen === '' ? '' : `${this.#reopen}\n`
    const body = this.#text.slice(this.#from, end)
    return { start: this.#from, text: closing === '' ? opening + body : `${opening}${body.replace(/\n$/, '')}\n${closing}` }
  }

  #restart(): void {
    this.#sealed = []
    this.#from = 0
    this.#reopen = ''
  }
}

const closingOf = (fence: string): string => /`{3,}|~{3,}/.exec(fence)?.[0] ?? ''
const FENCE = /^ {0,3}(`{3,}|~{3,})/
/** A line that may belong to what is before the blank line above it. */
const CONTINUES = /^(?:\s|[-*+>|]|\d+[.)])/

/** @returns where the next piece begins, and the opening line of the code block it begins in (`''` outside of one). */
function findCut(text: string, from: number, reopen: string): { at: number; fence: string } | undefined {
  let fence = reopen
  let blank = false
  let forced: { at: number; fence: string } | undefined
  for (let at = from; at < text.length;) {
    const newline = text.indexOf('\n', at)
    const line = text.slice(at, newline < 0 ? text.length : newline)
    const length = at - from
    if (length >= SOFT_LIMIT && newline >= 0) {
      if (fence === '' && blank && line !== '' && !CONTINUES.test(line)) return { at, fence }
      if (length <= HARD_LIMIT) forced = { at, fence }
    }
    if (length > HARD_LIMIT) return forced ?? { at, fence }
    if (line.length > HARD_LIMIT) return forced ?? { at: breakIn(text, at), fence }
    if (newline < 0) return undefined
    const marker = FENCE.exec(line)?.[1]
    if (marker !== undefined) {
      if (fence === '') fence = line
      else if (line.trim() === marker && marker.startsWith(closingOf(fence))) fence = ''
    }
    blank = line.trim() === ''
    at = newline + 1
  }
  return undefined
}

/** Inside one endless line: at a space where there is one, never inside a surrogate pair. */
function breakIn(text: string, at: number): number {
  const space = text.lastIndexOf(' ', at + HARD_LIMIT)
  if (space > at + SOFT_LIMIT) return space + 1
  const hard = at + HARD_LIMIT
  return /[\uDC00-\uDFFF]/.test(text[hard] ?? '') ? hard + 1 : hard
}
