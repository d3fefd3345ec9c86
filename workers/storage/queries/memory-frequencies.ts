/** How common words are in the store, which says how much they tell. */
import type { Database } from 'better-sqlite3'
import { isSingle } from '../domain/memory-terms.ts'
import { statement } from './statement.ts'

/** Not exact after deletions; good enough to tell rare words from common ones. */
export function memoryCount(database: Database): number {
  return statement<[], { last: number | null }>(database, 'SELECT max(number) AS last FROM memories').get()?.last ?? 0
}

interface KnownFrequencies {
  /** How many items there were. */
  readonly total: number
  readonly terms: Map<string, number>
}
const frequencies = new WeakMap<Database, KnownFrequencies>()
/** The index counts by reading all of a word: only what costs that is kept, and a rare one never, for it may just have come. */
const COMMON_TERM = 200
const MOST_KNOWN = 20_000
/** By so much the store may grow before they are counted again. */
const GROWTH = 1.05

/** In how many items a term of the index occurs, about; for a single character at most so many. */
export function termFrequency(database: Database, term: string): number {
  const total = memoryCount(database)
  let known = frequencies.get(database)
  if (known === undefined || total < known.total || total > known.total * GROWTH || known.terms.size > MOST_KNOWN)
    frequencies.set(database, (known = { total, terms: new Map() }))
  let frequency = known.terms.get(term)
  if (frequency === undefined && (frequency = countTerm(database, term)) >= COMMON_TERM) known.terms.set(term, frequency)
  return frequency
}

function countTerm(database: Database, term: string): number {
  if (isSingle(term))
    return (
      statement<[string, string], { doc: number | null }>(
        database,
        'SELECT sum(doc) AS doc FROM memories_vocab WHERE term >= ? AND term <= ?',
      ).get(term, `${term}\u{10ffff}`)?.doc ?? 0
    )
  return statement<[string], { doc: number }>(database, 'SELECT doc FROM memories_vocab WHERE term = ?').get(term)?.doc ?? 0
}
