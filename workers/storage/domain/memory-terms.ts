/**
 * Text as the memory index takes it: stems of Latin words, overlapping pairs of Chinese (traditional as simplified), Japanese and
 * Korean characters.
 * The same functions for what is stored and for what is asked, so that the two always meet.
 */
import { porterStem } from './porter-stem.ts'
import { simplified } from './simplified.ts'

/**
 * A run of Chinese, Japanese or Korean, or a word of any other script. A word ends where such a run begins, with a blank between
 * or without one: `用React做` is three runs. The long vowel sign belongs to both kana and is of neither script.
 */
export const RUN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+|[[\p{L}\p{N}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]]+(?:\+\+|#)?/gv
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]/u
const WORD_PARTS = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}]+|\p{N}+/gu
/** Of one text; what stands behind is not found. */
const MOST_CHARACTERS = 32_768
const LONGEST_WORD = 64

/** In order of appearance, repeated as often as they occur. `camelCase` gives the whole and its parts. */
export function memoryTerms(text: string): string[] {
  return termsOfSimplified(simplified(text.slice(0, MOST_CHARACTERS)))
}

/** The same of a text that went through `simplified`. */
export function termsOfSimplified(text: string): string[] {
  return (text.slice(0, MOST_CHARACTERS).match(RUN) ?? []).flatMap((run) => (isCjk(run) ? pairsOf(run) : wordsOf(run)))
}

/** The same, and the last character of each run alone: a character is found wherever it stands by the beginning of a term. */
export function indexTerms(text: string): string[] {
  return runsOf(text).flatMap((run) => {
    if (!isCjk(run)) return wordsOf(run)
    const pairs = pairsOf(run)
    return [...run].length === 1 ? pairs : [...pairs, [...run].at(-1) ?? '']
  })
}

/** Whether a term is one character, which the index knows only as the beginning of others. */
export function isSingle(term: string): boolean {
  return isCjk(term) && [...term].length === 1
}

function runsOf(text: string): string[] {
  return simplified(text.slice(0, MOST_CHARACTERS)).match(RUN) ?? []
}

/** Pairs of neighbouring characters; a run of one character is its own term. */
export function pairsOf(run: string): string[] {
  const characters = [...run]
  return characters.length === 1 ? characters : characters.slice(1).map((character, index) => `${characters[index]}${character}`)
}

export function isCjk(text: string): boolean {
  return CJK.test(text)
}

function wordsOf(run: string): string[] {
  if (run.length > LONGEST_WORD) return []
  const whole = termOf(run)
  const parts = run.match(WORD_PARTS) ?? []
  return parts.length < 2 || /^\p{L}?\p{N}+$/u.test(run) ? [whole] : [whole, ...parts.map(termOf)]
}

/** A few words make up most of any text. */
const MOST_KNOWN = 10_000
const terms = new Map<string, string>()

/** `C++` and `C#` are words of their own; the index itself would only see the letter. */
function termOf(word: string): string {
  const known = terms.get(word)
  if (known !== undefined) return known
  if (terms.size >= MOST_KNOWN) terms.clear()
  const lower = word.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '').replace('++', 'plusplus').replace('#', 'sharp')
  const term = porterStem(lower)
  terms.set(word, term)
  return term
}
