/** Which items of MEMORY.md the model surely has before it: those in a comment and those behind the cut are not sent. */
import { SENT_OF_MEMORY_FILE as most } from '#contracts/workspace/memory-file-limits.ts'
import { readDocument, type MemoryDocument } from './memory-document.ts'
import { findBlocks } from './memory-blocks.ts'

/**
 * Without their labels. In doubt an item counts as not sent: to say a thing twice does no harm, to leave it out on both sides does.
 * @param document the text the person agreed to.
 */
export function sentItems(document: MemoryDocument): string[] {
  const { hidden } = findBlocks(document)
  const cut = lineOfCut(document, hidden)
  return readDocument(document).sections.flatMap(({ items }) =>
    items.filter(({ at }) => at < cut).map(({ text }) => text.replace(/<!--.*?-->/g, '').replace(/^\[[^\]]*\]\s*/, '')),
  )
}

/** Index of the first line that may be behind the cut. */
function lineOfCut(document: MemoryDocument, hidden: ReadonlySet<number>): number {
  let lines = 0
  let bytes = 0
  let tokens = 0
  for (const [index, { raw }] of document.entries()) {
    // Its header and explanations go too.
    if (hidden.has(index) || /^#(?!#)/.test(raw)) continue
    lines++
    for (const character of raw) {
      const code = character.codePointAt(0) ?? 0
      bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4
      // More than any text of such characters has.
      tokens += code > 0x1_0000 ? 4 : code >= 0x80 ? 2 : /[A-Za-z ]/.test(character) ? 0.5 : 1
    }
    bytes++
    tokens++
    if (lines > most.lines || bytes > most.bytes || tokens > most.tokens) return index
  }
  return document.length
}
