/** Finding and marking what was typed. */

/** The words of a query, in lower case. */
export const wordsOf = (query: string): string[] =>
  query
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '')

/** True when every word occurs. */
export function matches(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase()
  return words.every((word) => lower.includes(word))
}

export interface MarkedPart {
  readonly text: string
  readonly marked: boolean
}

/** Cuts a text where any of the words occurs, so that those parts can be shown as found. */
export function markWords(text: string, words: readonly string[]): MarkedPart[] {
  const lower = text.toLowerCase()
  // A letter whose small form has another length would shift every later place.
  if (words.length === 0 || lower.length !== text.length) return [{ text, marked: false }]
  const parts: MarkedPart[] = []
  let from = 0
  while (from < text.length) {
    const next = words
      .map((word) => ({ at: lower.indexOf(word, from), length: word.length }))
      .filter(({ at }) => at >= 0)
      .sort((left, right) => left.at - right.at || right.length - left.length)[0]
    if (next === undefined) break
    if (next.at > from) parts.push({ text: text.slice(from, next.at), marked: false })
    parts.push({ text: text.slice(next.at, next.at + next.length), marked: true })
    from = next.at + next.length
  }
  if (from < text.length) parts.push({ text: text.slice(from), marked: false })
  return parts
}
