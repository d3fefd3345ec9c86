/**
 * Text as the memory index takes it: stems of Latin words, overlapping pairs of Chinese, Japanese and Korean characters.
 * One function for what is stored and for what is asked, so that the two always meet.
 */
import { porterStem } from './porter-stem.ts'

const RUN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|[\p{L}\p{N}]+(?:\+\+|#)?/gu
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const WORD_PARTS = /\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}]+|\p{N}+/gu
/** Of one text; what stands behind is not found. */
const MOST_CHARACTERS = 32_768
const LONGEST_WORD = 64

/** In order of appearance, repeated as often as they occur. `camelCase` gives the whole and its parts. */
export function memoryTerms(text: string): string[] {
  const terms: string[] = []
  for (const [run] of text.slice(0, MOST_CHARACTERS).normalize('NFKC').matchAll(RUN)) {
    if (CJK.test(run)) terms.push(...pairsOf(run))
    else terms.push(...wordsOf(run))
  }
  return terms
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

/** `C++` and `C#` are words of their own; the index itself would only see the letter. */
function termOf(word: string): string {
  const lower = word.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '').replace('++', 'plusplus').replace('#', 'sharp')
  return porterStem(lower)
}
