/** Keeps the head and the tail of a long text; what is left out is counted and said. */
export interface BoundedText {
  readonly text: string
  /** UTF-16 code units left out; 0 when all is there. */
  readonly omitted: number
}

/** Cuts at line ends where one is near, never inside a surrogate pair. `note` is put where the text was cut. */
export function boundText(text: string, limit: number, note: (omitted: number) => string): BoundedText {
  if (text.length <= limit) return { text, omitted: 0 }
  const headEnd = cutBackward(text, Math.floor(limit / 2))
  const tailStart = cutForward(text, text.length - Math.floor(limit / 2))
  const omitted = tailStart - headEnd
  return { text: `${text.slice(0, headEnd)}${note(omitted)}${text.slice(tailStart)}`, omitted }
}

/** How far a cut may move to end at a line. */
const NEAR = 400

function cutBackward(text: string, at: number): number {
  const line = text.lastIndexOf('\n', at - 1)
  if (line >= 0 && at - line <= NEAR) return line + 1
  return isLowSurrogate(text.charCodeAt(at)) ? at - 1 : at
}

function cutForward(text: string, at: number): number {
  const line = text.indexOf('\n', at)
  if (line >= 0 && line - at <= NEAR) return line + 1
  return isLowSurrogate(text.charCodeAt(at)) ? at + 1 : at
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
