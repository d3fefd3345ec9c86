/** A search in three steps: terms that tell, the best candidates of the index, their exact order. */
import type { Database } from 'better-sqlite3'
import type { MemoryHit } from '#contracts/metona/memory-entry.ts'
import { readQuery, type Concept } from '../domain/memory-query.ts'
import { chooseRelevant, mayBeRelevant, rankMemories, type RankContext, type RankedMemory } from '../domain/rank-memories.ts'
import { foldText } from '../domain/text-likeness.ts'
import type { StoredMemory } from '../logs/workspace-record.ts'
import type { FitForModel } from './fit-for-model.ts'
import { memoriesAt, memoriesContaining, memoriesWith, pinnedMemories, toEntry, type MemoryViewer } from '../queries/memories.ts'
import { memoryCount, termFrequency } from '../queries/memory-frequencies.ts'

export interface MemorySearch {
  readonly query: string
  readonly purpose: 'everything' | 'relevant'
  readonly sessionId: string | undefined
  readonly exclude: readonly string[]
  /** Whether the person pinned an item; a row can say so of itself. */
  readonly isPinned: (item: StoredMemory) => boolean
  /** Items the person pinned; whether they still are is told by `isPinned`. */
  readonly pinnedIds: readonly string[]
  /** What is not fit for a model is shown to a person alone. */
  readonly isFit: FitForModel
  /** Texts the model has before it already. */
  readonly known: readonly string[]
  readonly limit: number
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** So many terms go to the index: the rarest, for they find what the others only repeat. */
const MOST_TERMS = 10
const MOST_RELATED = 6
/** A term in more than this share of the items only costs time, unless there is little else. */
const COMMON = 0.1
const FEW_TERMS = 4
/** In a smaller store no term costs anything. */
const SMALL = 2000
const CANDIDATES = 64
/** The index weighs every item that holds one of the terms. With 6,000 three in twenty of the best were missing, with this one in sixty. */
const MOST_WEIGHED = 20_000
/** Of so many of the best, what was remembered just before and after is looked at too. */
const WITH_NEIGHBOURS = 10
const NEIGHBOURHOOD = 2
const MOST_PINNED = 8

/** Of a query; a pasted file would hold the thread for half a second, and says no more about what is asked. */
const LONGEST_QUERY = 2000

export function searchMemories(database: Database, asked: MemorySearch): MemoryHit[] {
  const search = { ...asked, query: asked.query.slice(0, LONGEST_QUERY) }
  const pinned = search.purpose === 'relevant' ? pinnedMemories(database, search.pinnedIds, search.now).filter(search.isPinned) : []
  const total = memoryCount(database)
  if (total === 0) return []
  const frequencies = new Map<string, number>()
  const context: RankContext = {
    now: search.now,
    sessionId: search.sessionId,
    total,
    frequencyOf: (term) => {
      let frequency = frequencies.get(term)
      if (frequency === undefined) frequencies.set(term, (frequency = termFrequency(database, term)))
      return frequency
    },
  }
  const concepts = readQuery(search.query)
  const byPerson = viewerOf(search).working === 'all'
  const all = rank(database, search, concepts, context)
  // Looking whether an item is fit costs more than ranking it: only what may be given to a model is looked at.
  const ranked = all.filter(
    (entry) => byPerson || ((search.purpose === 'everything' || mayBeRelevant(entry)) && search.isFit(entry.candidate)),
  )
  if (search.purpose === 'everything')
    return everything(database, search, ranked)
      .slice(0, search.limit)
      .map((entry) => toHit(entry, search.isPinned))
  const excluded = new Set(search.exclude)
  const unsaid = pinned
    .filter((item) => search.isFit(item))
    .slice(0, MOST_PINNED)
    .filter(({ id }) => !excluded.has(id))
  const found = ranked.filter(({ candidate }) => !excluded.has(candidate.id) && !unsaid.some(({ id }) => id === candidate.id))
  const relevant = chooseRelevant(found, search.limit, [...search.known, ...unsaid.map(({ content }) => content)])
  const scores = new Map(all.map((entry) => [entry.candidate.id, entry]))
  return [...unsaid.map((item) => scores.get(item.id) ?? { candidate: item, relevanceScore: 0, match: 0, words: [] }), ...relevant]
    .slice(0, search.limit)
    .map((entry) => toHit(entry, search.isPinned))
}

function rank(database: Database, search: MemorySearch, concepts: readonly Concept[], context: RankContext): RankedMemory<StoredMemory>[] {
  const terms = chooseTerms(concepts, context)
  if (terms.length === 0) return []
  const viewer = viewerOf(search)
  const candidates = memoriesWith(database, terms, CANDIDATES, viewer)
  const first = rankMemories(concepts, candidates, context)
  const present = new Set(candidates.map(({ id }) => id))
  const neighbours = first
    .slice(0, WITH_NEIGHBOURS)
    .flatMap(({ candidate: { sessionId, position, type } }) =>
      sessionId === undefined || position === undefined || type !== 'episodic'
        ? []
        : memoriesAt(database, sessionId, position - NEIGHBOURHOOD, position + NEIGHBOURHOOD, viewer).filter(
            ({ id }) => !present.has(id) && present.add(id) !== undefined,
          ),
    )
  return neighbours.length === 0 ? first : rankMemories(concepts, [...candidates, ...neighbours], context)
}

/**
 * The rarest of what was asked and of what is related to it, as many as lead to no more items than can be weighed in time, and at
 * least one. What else was asked counts where it stands in those: ranking looks at all of it.
 */
function chooseTerms(concepts: readonly Concept[], { total, frequencyOf }: RankContext): string[] {
  const asked = new Set<string>()
  const related = new Set<string>()
  for (const { alternatives } of concepts)
    for (const { terms, weight } of alternatives) for (const term of terms) (weight === 1 ? asked : related).add(term)
  const byRarity = (one: string, other: string): number => frequencyOf(one) - frequencyOf(other)
  const rarest = (terms: Iterable<string>, most: number, least: number): string[] => {
    const found = [...terms].filter((term) => frequencyOf(term) > 0).sort(byRarity)
    const telling = total < SMALL ? found : found.filter((term) => frequencyOf(term) <= COMMON * total)
    return (telling.length < least ? found.slice(0, least) : telling).slice(0, most)
  }
  const own = rarest(asked, MOST_TERMS, FEW_TERMS)
  const others = rarest(
    [...related].filter((term) => !asked.has(term)),
    MOST_RELATED,
    0,
  )
  const chosen = [...own, ...others].sort(byRarity)
  let items = 0
  return chosen.filter((term, index) => (items += frequencyOf(term)) <= MOST_WEIGHED || index === 0)
}

/** For a person who searches: what holds the text as it was typed comes first, and single characters are looked for as they are. */
function everything(database: Database, search: MemorySearch, ranked: readonly RankedMemory<StoredMemory>[]): RankedMemory<StoredMemory>[] {
  const text = foldText(search.query)
  if (text === '') return []
  const literal = ranked.filter(({ candidate }) => foldText(candidate.content).includes(text))
  const held = new Set(literal.map(({ candidate }) => candidate.id))
  const others = ranked.filter(({ candidate }) => !held.has(candidate.id))
  if (ranked.length > 0 && [...text].length > 1) return [...literal, ...others]
  const containing = memoriesContaining(database, search.query.trim(), search.limit, viewerOf(search))
    .filter((item) => !held.has(item.id) && (viewerOf(search).working === 'all' || search.isFit(item)))
    .map((candidate) => ({ candidate, relevanceScore: 1, match: 1, words: [search.query.trim()] }))
  return [...literal, ...containing, ...others.filter(({ candidate }) => !containing.some((entry) => entry.candidate.id === candidate.id))]
}

/** A person searches without a session, and through everything that is there. */
function viewerOf({ now, purpose, sessionId }: MemorySearch): MemoryViewer {
  return { now, working: purpose === 'everything' && sessionId === undefined ? 'all' : { sessionId } }
}

function toHit({ candidate, relevanceScore, words }: RankedMemory<StoredMemory>, isPinned: MemorySearch['isPinned']): MemoryHit {
  return { ...toEntry(candidate, isPinned(candidate)), relevanceScore: Math.round(relevanceScore * 1000) / 1000, words: [...words] }
}
