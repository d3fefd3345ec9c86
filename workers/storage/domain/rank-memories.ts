/** Which memories answer a question, and how well. Pure: time, counts and candidates are arguments. */
import { LIGHT } from './light-words.ts'
import type { Concept } from './memory-query.ts'
import { isSingle, termsOfSimplified } from './memory-terms.ts'
import { simplified } from './simplified.ts'
import { likeness } from './text-likeness.ts'

export interface MemoryCandidate {
  readonly id: string
  readonly type: 'episodic' | 'semantic' | 'working'
  readonly content: string
  readonly summary?: string | undefined
  readonly importance: number
  readonly createdAt: number
  readonly sessionId?: string | undefined
  /** Its place among the session's memories. */
  readonly position?: number | undefined
}

export interface RankContext {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Whose own working memories count a little more. */
  readonly sessionId: string | undefined
  /** How many memories there are, and in how many of them a term occurs. */
  readonly total: number
  frequencyOf(term: string): number
}

export interface RankedMemory<C extends MemoryCandidate = MemoryCandidate> {
  readonly candidate: C
  /** 0 to 1: how much of what was asked it holds, rare words counting more, with small bounded shares for age and importance. */
  readonly relevanceScore: number
  /**
   * The same without age and importance, which order what fits and do not make it fit; nothing where the name of whom the question
   * is about was not met, or nothing but that, or only everyday words of a question that has others.
   */
  readonly match: number
  /** The words of the item that matched, as a person knows them. */
  readonly words: readonly string[]
}

/** An item that matches less is not brought up by itself, however new or important; whoever searches still sees it. */
const RELEVANT = 0.2
/** Nor is one that is this much weaker than the best. */
const SHARE_OF_BEST = 0.25
const DUPLICATE = 0.8
const HALF_LIFE_MS = 30 * 86_400_000
/** Shares that age and importance have in the score. Larger ones let what is new push out what is right. */
const BOUNDED = 0.15
const OWN_WORKING = 1.1
const NEXT = 0.35
const NEXT_BUT_ONE = 0.15
/** With fewer items than this, that a word is in several of them says little about how common it is. */
const SMALLEST = 200
/** Terms of an item of usual length; longer ones match more by chance. */
const USUAL_LENGTH = 30

/** Best first; what matches nothing and stands beside nothing that matches is left out. */
export function rankMemories<C extends MemoryCandidate>(
  concepts: readonly Concept[],
  candidates: readonly C[],
  context: RankContext,
): RankedMemory<C>[] {
  const mustMeet = deciding(concepts)
  const scored = candidates.map((candidate) => {
    const matched = matchOf(concepts, mustMeet, candidate, context)
    return { candidate, ...matched, factor: factorOf(candidate, context) }
  })
  const byPlace = new Map(scored.map((entry) => [placeOf(entry.candidate, 0), entry]))
  /** What its neighbours add, by the value each of them has. */
  const beside = (candidate: MemoryCandidate, valueOf: (entry: (typeof scored)[number]) => number): number => {
    if (candidate.type !== 'episodic' || candidate.position === undefined) return 0
    const near = (distance: number): number => {
      const entry = byPlace.get(placeOf(candidate, distance))
      return entry === undefined ? 0 : valueOf(entry)
    }
    return NEXT * Math.max(near(-1), near(1)) + NEXT_BUT_ONE * Math.max(near(-2), near(2))
  }
  return scored
    .map(({ candidate, words, share, answering, factor }) => ({
      candidate,
      words,
      match: Math.min(1, answering + beside(candidate, (entry) => entry.answering)),
      relevanceScore: Math.min(1, share * factor + beside(candidate, (entry) => entry.share * entry.factor)),
    }))
    .filter(({ relevanceScore }) => relevanceScore > 0)
    .sort(
      (one, other) =>
        other.relevanceScore - one.relevanceScore ||
        other.candidate.createdAt - one.candidate.createdAt ||
        (one.candidate.id < other.candidate.id ? -1 : 1),
    )
}

/** Whether `chooseRelevant` may choose it. */
export function mayBeRelevant({ match }: RankedMemory): boolean {
  return match >= RELEVANT
}

/** What is worth bringing up unasked: good enough, not much weaker than the best, nothing said twice or in `known` already. */
export function chooseRelevant<C extends MemoryCandidate>(
  ranked: readonly RankedMemory<C>[],
  limit: number,
  known: readonly string[] = [],
): RankedMemory<C>[] {
  const floor = Math.max(RELEVANT, SHARE_OF_BEST * Math.max(0, ...ranked.map(({ match }) => match)))
  return withoutDuplicates(
    ranked.filter(({ match }) => match >= floor),
    limit,
    known,
  )
}

/** Of several that say the same the first stays. */
export function withoutDuplicates<C extends MemoryCandidate>(
  ranked: readonly RankedMemory<C>[],
  limit: number,
  known: readonly string[] = [],
): RankedMemory<C>[] {
  const kept: RankedMemory<C>[] = []
  const said = [...known]
  for (const entry of ranked) {
    if (kept.length >= limit) break
    if (said.some((text) => likeness(text, entry.candidate.content) > DUPLICATE)) continue
    said.push(entry.candidate.content)
    kept.push(entry)
  }
  return kept
}

/** 0 to 1: what only few items hold tells most. Squared, so that one rare word outweighs two ordinary ones. */
function rarityOf(terms: readonly string[], { total, frequencyOf }: RankContext): number {
  const found = Math.min(...terms.map(frequencyOf))
  const size = Math.max(total, SMALLEST)
  const most = Math.log(1 + (size + 0.5) / 0.5)
  const own = Math.log(1 + (Math.max(0, size - found) + 0.5) / (found + 0.5)) / most
  return own * own
}

/** What a concept is worth by the word that was asked: the commonest way in which it may have been spelled. */
function askedRarity({ weight, alternatives }: Concept, context: RankContext): number {
  return weight * Math.min(...alternatives.filter((alternative) => alternative.weight === 1).map(({ terms }) => rarityOf(terms, context)))
}

/** The concepts of which one must be met: what is asked for, in words of substance as far as it has any. */
function deciding(concepts: readonly Concept[]): ReadonlySet<Concept> {
  const asked = concepts.filter(({ about }) => about === undefined)
  const substance = asked.filter(({ weight }) => weight > LIGHT)
  return new Set(substance.length > 0 ? substance : asked.length > 0 ? asked : concepts)
}

interface Match {
  readonly share: number
  /** `share` as far as it speaks for an answer. */
  readonly answering: number
  readonly words: string[]
}

function matchOf<C extends MemoryCandidate>(
  concepts: readonly Concept[],
  mustMeet: ReadonlySet<Concept>,
  candidate: C,
  context: RankContext,
): Match {
  const text = simplified(candidate.summary === undefined ? candidate.content : `${candidate.content}\n${candidate.summary}`)
  const terms = termsOfSimplified(text)
  const held = new Set(terms)
  // Terms are pairs of characters.
  const holds = (term: string): boolean => held.has(term) || (isSingle(term) && text.includes(term))
  const words: string[] = []
  let matched = 0
  let whole = 0
  let decides = false
  let aboutAnother = false
  for (const concept of concepts) {
    const best = concept.alternatives.find((alternative) => alternative.terms.every(holds))
    if (best === undefined) {
      whole += askedRarity(concept, context)
      aboutAnother ||= concept.about === 'name'
      continue
    }
    const rarity = concept.weight * rarityOf(best.terms, context)
    words.push(best.word)
    matched += best.weight * rarity
    whole += rarity
    decides ||= mustMeet.has(concept)
  }
  const share = whole === 0 ? 0 : (matched / whole) * (0.85 + 0.15 / Math.max(1, terms.length / USUAL_LENGTH))
  return { share, answering: decides && !aboutAnother ? share : 0, words }
}

function factorOf(candidate: MemoryCandidate, { now, sessionId }: RankContext): number {
  const age = Math.max(0, now - candidate.createdAt)
  const importance = 1 - BOUNDED + BOUNDED * candidate.importance
  const recency = 1 - BOUNDED + BOUNDED * 2 ** (-age / HALF_LIFE_MS)
  return importance * recency * (candidate.type === 'working' && candidate.sessionId === sessionId ? OWN_WORKING : 1)
}

function placeOf({ id, sessionId, position }: MemoryCandidate, distance: number): string {
  return position === undefined ? id : `${sessionId ?? ''}/${position + distance}`
}
