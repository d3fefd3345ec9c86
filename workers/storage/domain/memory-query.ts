/** A question taken apart: what it asks for, each with the words under which that may be remembered. */
import { weightOfWord } from './light-words.ts'
import { RUN, isCjk, memoryTerms } from './memory-terms.ts'
import { knownWordAt, relatedGroups } from './related-words.ts'
import { simplified } from './simplified.ts'
import { isSingleWord } from './single-words.ts'
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
  /** How much it says what the question is about: 1, or less for an everyday word. */
  readonly weight: number
  /**
   * Of whom or of what the question asks something: sharing that alone answers nothing. A `name` (`Lin` in “Lin’s car”) must also be
   * met; an `owner` (会议室 in 会议室的灯) may be meant by what an item says without it.
   */
  readonly about?: 'name' | 'owner'
  readonly alternatives: readonly Alternative[]
}

/** A person's name says of whom is spoken, not of what. */
const NAME = 0.5
const SURNAMES = new Set(
  '王李张刘陈杨黄赵吴周徐孙马朱胡郭何林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤',
)
/** Before a surname, among people who know each other. */
const FAMILIAR = new Set('小老阿')
/** Behind a surname part of the name. */
const TITLES = new Set('老师 经理 总监 主任 教授 博士 医生 先生 女士 师傅 同学 律师 工'.split(' '))
const NAMES = String.raw`\p{Lu}\p{Ll}+(?:\s+\p{Lu}\p{Ll}+)*`
const SUBJECT = new RegExp(
  String.raw`\b(?:[Dd]o(?:es)?|[Dd]id|[Ii]s|[Aa]re|[Ww]as|[Ww]ere|[Hh]a[sd]|[Hh]ave|[Cc]an|[Cc]ould|[Mm]ay|[Ww]ill|[Ww]ould|[Ss]hould|[Mm]ust)\s+(${NAMES})|(${NAMES})['’]s\b|\bof\s+(${NAMES})\s*\?`,
  'gu',
)
const RELATED_WEIGHT = 0.6
const MOST_CONCEPTS = 48
const segmenter = new Intl.Segmenter('zh', { granularity: 'word' })

/** Stop words are left out unless nothing else is there. The same concept is asked for once. */
export function readQuery(query: string): Concept[] {
  const text = simplified(query)
  const subjects = subjectsOf(text)
  const all = (text.match(RUN) ?? []).flatMap((run) =>
    isCjk(run) ? conceptsOfQuestion(run) : [subjects.has(run) ? { ...conceptOfWord(run), about: 'name' as const } : conceptOfWord(run)],
  )
  const telling = all.filter(isTelling)
  const seen = new Set<string>()
  return (telling.length > 0 ? telling : all)
    .filter((concept) => {
      const key = concept.alternatives[0]?.terms.join(' ') ?? ''
      return key !== '' && !seen.has(key) && seen.add(key) !== undefined
    })
    .slice(0, MOST_CONCEPTS)
}

function isTelling({ alternatives }: Concept): boolean {
  return alternatives.some(({ weight, terms }) => weight === 1 && !terms.every(isStopTerm))
}

/** Names that an English question is about, by their place in it: after its auxiliary verb, before `'s`, after `of` at the end. */
function subjectsOf(text: string): Set<string> {
  return new Set([...text.matchAll(SUBJECT)].flatMap((found) => (found[1] ?? found[2] ?? found[3] ?? '').match(RUN) ?? []))
}

/** In `X的Y` what is asked for is Y. With a verb in it (训练用的卡, 办签证的表) X is a clause, which says itself what is asked for. */
function conceptsOfQuestion(run: string): Concept[] {
  const place = run.lastIndexOf('的')
  const owner = run.slice(0, Math.max(0, place))
  const asked = conceptsOfRun(run.slice(place + 1))
  if (owner === '' || !asked.some(isTelling)) return conceptsOfRun(run)
  const [last = '', before = ''] = [...segmenter.segment(owner)].map(({ segment }) => segment).toReversed()
  const isVerb = (word: string): boolean => word.length === 1 && !isSingleWord(word) && !SURNAMES.has(word) && !FAMILIAR.has(word)
  const isClause = last.length === 1 ? before.length !== 1 && isVerb(last) : isVerb(before)
  const concepts = conceptsOfRun(owner)
  return [...(isClause ? concepts : concepts.map((concept) => ({ ...concept, about: concept.about ?? ('owner' as const) }))), ...asked]
}

function conceptOfWord(word: string): Concept {
  const terms = memoryTerms(word)
  const [whole = ''] = terms
  const spelled: Alternative[] = [{ word, terms: [whole], weight: 1 }]
  if (terms.length > 1) spelled.push({ word, terms: terms.slice(1), weight: 1 })
  return { weight: weightOfWord(whole), alternatives: [...spelled, ...relatedTo(whole, word)] }
}

/**
 * Known words whole; the rest as the platform's dictionary cuts it, which decides nothing but how much a part weighs: what is
 * looked for are pairs in any case. Single characters between words are particles, verbs or half a word and are left out.
 */
function conceptsOfRun(run: string): Concept[] {
  const concepts: Concept[] = []
  let rest = ''
  const endRest = (): void => {
    concepts.push(...conceptsOfRest(rest))
    rest = ''
  }
  for (let at = 0; at < run.length;) {
    const word = knownWordAt(run, at)
    if (word === undefined) {
      rest += run.charAt(at++)
      continue
    }
    endRest()
    concepts.push(conceptOfCharacters(word))
    at += word.length
  }
  endRest()
  // Nothing but single characters: the dictionary does not know the word, or there is only one.
  return concepts.length > 0
    ? concepts
    : memoryTerms(run).map((pair) => ({ weight: 1, alternatives: [{ word: pair, terms: [pair], weight: 1 }] }))
}

/** Words of two characters or more; single ones in a row, which is how a word looks that the dictionary lacks, as pairs. */
function conceptsOfRest(text: string): Concept[] {
  const concepts: Concept[] = []
  let singles = ''
  const endSingles = (): void => {
    memoryTerms(singles).forEach((pair, index) => {
      const concept = conceptOfCharacters(pair)
      const named = index === 0 && isName(pair)
      concepts.push(
        named ? { ...concept, weight: NAME, about: 'name' } : { ...concept, alternatives: [...concept.alternatives, ...nounsOf(pair)] },
      )
    })
    singles = ''
  }
  for (const { segment } of segmenter.segment(text)) {
    if (TITLES.has(segment) && SURNAMES.has(singles)) {
      concepts.push({ ...conceptOfCharacters(`${singles}${segment}`), weight: NAME, about: 'name' })
      singles = ''
      continue
    }
    const telling = [...segment].filter((character) => !isStopTerm(character)).join('')
    if (telling.length > 1) {
      endSingles()
      const concept = conceptOfCharacters(telling === segment || segment.length > 2 ? segment : telling)
      concepts.push(isNickname(segment) ? { ...concept, weight: NAME, about: 'name' } : concept)
    } else if (telling === segment) singles += telling
    else {
      singles += telling
      endSingles()
    }
  }
  endSingles()
  return concepts
}

/** 王芳, of two characters that are no word together. */
function isName(pair: string): boolean {
  return (pair.length > 1 && SURNAMES.has(pair.charAt(0))) || isNickname(pair)
}

/** 小林. */
function isNickname(word: string): boolean {
  return word.length === 2 && FAMILIAR.has(word.charAt(0)) && SURNAMES.has(word.charAt(1))
}

/** Of two characters that are no word together (养猫, 猫叫) the nouns may be remembered beside others. */
function nounsOf(pair: string): Alternative[] {
  const nouns = [...pair].filter(isSingleWord)
  return pair.length === 1 || nouns.length === 0 ? [] : [{ word: nouns.join(' '), terms: nouns, weight: RELATED_WEIGHT }]
}

function conceptOfCharacters(word: string): Concept {
  return { weight: weightOfWord(word), alternatives: [{ word, terms: memoryTerms(word), weight: 1 }, ...relatedTo(word, word)] }
}

function relatedTo(key: string, word: string): Alternative[] {
  const alternatives = new Map<string, Alternative>()
  for (const group of relatedGroups(key))
    for (const member of group.members)
      if (member.word !== word && member.terms[0] !== key)
        alternatives.set(member.word, { word: member.word, terms: member.terms, weight: RELATED_WEIGHT })
  return [...alternatives.values()]
}
