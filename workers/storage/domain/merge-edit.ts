/** Which of our changes somebody else's save of the whole file has lost. */
import type { MemoryOperation } from '#contracts/metona/memory-file.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { parseMemory, readDocument, type MemoryDocument } from './memory-document.ts'
import { applyOperation, type OperationPlace } from './memory-operations.ts'
import { keyOf } from './memory-sections.ts'

/** What was done, or (without an operation) a text somebody else saved. */
export interface JournalEntry {
  readonly operation?: MemoryOperation | undefined
  /** Hash of the file after it. */
  readonly after: string
  /** The time of change in the file's header then. */
  readonly stamp?: string | undefined
}

export interface Snapshot {
  readonly hash: string
  readonly text: string
}

/** Share of a version's lines that must still be there. Headings alone make no two texts versions of one. */
const STILL_THERE = 0.3

/**
 * The place in the journal (index of an entry) of the version an editor started from: the newest one whose time of change the text still
 * carries, else the one of whose lines the largest part is still there, however much was written besides. What was in that version and is not in the text was removed on purpose; what came after
 * it was never seen. Undefined when nothing of the journal resembles the text.
 * @param journal oldest first.
 * @param load the texts of some hashes, in order, as far as they are kept.
 */
export function editorBase(
  text: string,
  journal: readonly JournalEntry[],
  load: (hashes: readonly string[]) => readonly Snapshot[],
): number | undefined {
  const stamp = stampOf(parseMemory(text))
  const stamped = stamp === undefined ? -1 : journal.findLastIndex((entry) => entry.stamp === stamp)
  if (stamped >= 0) return stamped
  const lines = new Set(linesOf(text))
  let best: { hash: string; present: number; likeness: number } | undefined
  for (const { hash, text: other } of load([...new Set(journal.map((entry) => entry.after))])) {
    const others = linesOf(other)
    const shared = others.filter((line) => lines.has(line)).length
    const present = others.length === 0 ? 0 : shared / others.length
    // Of two that are there whole, the one that says more of the text.
    const likeness = shared / (lines.size + others.length - shared)
    const better = best === undefined || present > best.present || (present === best.present && likeness >= best.likeness)
    if (present >= STILL_THERE && better) best = { hash, present, likeness }
  }
  if (best === undefined) return undefined
  const { hash } = best
  return journal.findLastIndex((entry) => entry.after === hash)
}

/**
 * The text with the operations that came after its base; those that changed it. One that no longer fits is left out, and so is the removal
 * of an item that got lines of its own since: what somebody wrote is not taken away for what we did before.
 * @param known the text of the base, as far as it is kept.
 */
export function reapply(
  document: MemoryDocument,
  base: number | undefined,
  journal: readonly JournalEntry[],
  place: OperationPlace,
  known = '',
): { document: MemoryDocument; applied: MemoryOperation[] } {
  let merged = document
  const applied: MemoryOperation[] = []
  const seen = new Set(linesOf(known))
  // Without a base nobody knows what was removed on purpose: the text stands as it is.
  for (const { operation } of base === undefined ? [] : journal.slice(base + 1)) {
    if (operation === undefined || (operation.kind === 'remove' && hasOtherLines(merged, operation, seen))) continue
    try {
      const next = applyOperation(merged, operation, place)
      if (next !== merged) applied.push(operation)
      merged = next
    } catch (error) {
      // The editor removed or reworded what the operation spoke of, or the file is one we only read.
      if (!(error instanceof AppError)) throw error
    }
  }
  return { document: merged, applied }
}

function hasOtherLines(
  document: MemoryDocument,
  { section, text }: Extract<MemoryOperation, { kind: 'remove' }>,
  known: ReadonlySet<string>,
): boolean {
  const key = keyOf(section, text)
  return readDocument(document).sections.some((found) =>
    found.items.some(
      (item) => item.key === key && document.slice(item.at + 1, item.end).some(({ raw }) => raw.trim() !== '' && !known.has(raw.trim())),
    ),
  )
}

function stampOf(document: MemoryDocument): string | undefined {
  return readDocument(document).header.updated?.value
}

function linesOf(text: string): string[] {
  return [...new Set(parseMemory(text).map(({ raw }) => raw.trim()))].filter((line) => line !== '')
}
