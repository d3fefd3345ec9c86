/** Which rows may be put before a model. They come from the log too, and so from whoever can write into the folder: they are looked at when they are read. */
import { LONGEST_MEMORY, LONGEST_SUMMARY } from '#contracts/metona/memory-entry.ts'
import type { MemoryProblem } from '#contracts/metona/memory-file.ts'
import type { Redactor } from '#workers/shared/redact.ts'
import type { StoredMemory } from '../logs/workspace-record.ts'
import { memoryTextProblem } from './check-memory-text.ts'

/** What was looked at need not be looked at for every question. */
const MOST_REMEMBERED = 5_000

export type FitForModel = (item: Pick<StoredMemory, 'content' | 'summary'>) => boolean

export function fitForModel(redactor: () => Redactor): FitForModel {
  let by: Redactor | undefined
  const verdicts = new Map<string, boolean>()
  return ({ content, summary }) => {
    const current = redactor()
    if (by !== current || verdicts.size > MOST_REMEMBERED) verdicts.clear()
    by = current
    const key = JSON.stringify([content, summary])
    let verdict = verdicts.get(key)
    if (verdict === undefined) {
      verdict =
        memoryTextProblem(content, LONGEST_MEMORY, current) === undefined &&
        (summary === undefined || memoryTextProblem(summary, LONGEST_SUMMARY, current) === undefined)
      verdicts.set(key, verdict)
    }
    return verdict
  }
}

/** What is withheld of these items, by id. */
export function itemProblems(
  items: readonly StoredMemory[],
  isFit: FitForModel,
  isPinned: (item: StoredMemory) => boolean,
): MemoryProblem[] {
  return items.flatMap((item): MemoryProblem[] => {
    if (!isFit(item)) return [{ line: 0, code: 'withheld_memory', text: item.id }]
    return item.pinned && !isPinned(item) ? [{ line: 0, code: 'foreign_pin', text: item.id }] : []
  })
}
