/** A question taken apart: what it asks for, each with the words under which that may be remembered. */
import { isCjk, memoryTerms } from './memory-terms.ts'
import { knownWordAt, relatedGroups } from './related-words.ts'
import { isStopTerm } from './stop-words.ts'

export interface Alternative {
  /** As a person knows it. */
  readonly word: string
  readonly terms: readonly string[]
  /** 1 for the word that was asked, less for a related one. */
  readonly weight: number
}

/** One thing asked for; any of its alternatives answers it. */
export interface Concept {
  readonly alternatives: readonly Alternative[]
}

const RELATED_WEIGHT = 0.6
const MOST_CONCEPTS = 48
const RUN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|[\p{L}\p{N}]+(?:\+\+|#)?/gu

/** Stop words are left out unless nothing else is there. The same concept is asked for once. */
export function readQuery(query: string): Concept[] {
  const all = [...query.normalize('NFKC').matchAll(RUN)].flatMap(([run]) => (isCjk(run) ? conceptsOfRun(run) : [conceptOfWord(run)]))
  const telling = all.filter((concept) => concept.alternatives.some(({ weight, terms }) => weight === 1 && !terms.every(isStopTerm)))
  const seen = new Set<string>()
  return (telling.length > 0 ? telling : all)
    .filter((concept) => {
      const key = concept.alternatives[0]?.terms.join(' ') ?? ''
      return key !== '' && !seen.has(key) && seen.add(key) !== undefined
    })
    .slice(0, MOST_CONCEPTS)
}

function conceptOfWord(word: string): Concept {
  const terms = memoryTerms(word)
  const [whole = ''] = terms
  const spelled: Alternative[] = [{ word, terms: [whole], weight: 1 }]
  if (terms.length > 1) spelled.push({ word, terms: terms.slice(1), weight: 1 })
  return { alternatives: [...spelled, ...relatedTo(whole, word)] }
}

/** Known words whole; the rest as pairs, none of them across the border of a known word. */
function conceptsOfRun(run: string): Concept[] {
  const concepts: Concept[] = []
  let rest = ''
  const endRest = (): void => {
    for (const pair of memoryTerms(rest)) concepts.push({ alternatives: [{ word: pair, terms: [pair], weight: 1 }] })
    rest = ''
  }
  for (let at = 0; at < run.length;) {
    const word = knownWordAt(run, at)
    if (word === undefined) {
      rest += run.charAt(at++)
      continue
    }
    endRest()
    concepts.push({ alternatives: [{ word, terms: memoryTerms(word), weight: 1 }, ...relatedTo(word, word)] })
    at += word.length
  }
  // A single character left beside a known word is a particle or half a word: alone it would be looked for as a word of its own.
  if (rest.length > 1 || concepts.length === 0) endRest()
  return concepts.filter(({ alternatives: [first] }) => concepts.length === 1 || first === undefined || first.terms.join('').length > 1)
}

function relatedTo(key: string, word: string): Alternative[] {
  const alternatives = new Map<string, Alternative>()
  for (const group of relatedGroups(key))
    for (const member of group.members)
      if (member.word !== word && member.terms[0] !== key)
        alternatives.set(member.word, { word: member.word, terms: member.terms, weight: RELATED_WEIGHT })
  return [...alternatives.values()]
}
