/** Porter's algorithm of 1980: `connected`, `connecting` and `connections` become `connect`. */

type Rule = readonly [suffix: string, replacement: string]

const STEP_TWO: readonly Rule[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
  ['logi', 'log'],
]
const STEP_THREE: readonly Rule[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
]
const STEP_FOUR = 'ement ance ence able ible ment ant ent ism ate iti ous ive ize al er ic ou'
  .split(' ')
  .sort((one, other) => other.length - one.length)

/** @param word lower-case letters a to z; anything else comes back as it is. */
export function porterStem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word
  let stem = withoutPlural(word)
  stem = withoutPast(stem)
  if (stem.endsWith('y') && hasVowel(stem.slice(0, -1))) stem = `${stem.slice(0, -1)}i`
  stem = replaceSuffix(stem, STEP_TWO)
  stem = replaceSuffix(stem, STEP_THREE)
  stem = withoutEnding(stem)
  return withoutFinalE(stem)
}

/** What is nothing but an ending is a word. */
function hasEnding(word: string, suffix: string): boolean {
  return word.length > suffix.length && word.endsWith(suffix)
}

function withoutPlural(word: string): string {
  if (hasEnding(word, 'sses') || hasEnding(word, 'ies')) return word.slice(0, -2)
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}

function withoutPast(word: string): string {
  if (hasEnding(word, 'eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word
  const ending = ['ed', 'ing'].find((suffix) => word.endsWith(suffix) && hasVowel(word.slice(0, -suffix.length)))
  if (ending === undefined) return word
  const stem = word.slice(0, -ending.length)
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`
  if (endsDouble(stem) && !/[lsz]$/.test(stem)) return stem.slice(0, -1)
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem
}

/** The first rule that fits decides, whether or not enough is left in front of it. */
function replaceSuffix(word: string, rules: readonly Rule[]): string {
  const rule = rules.find(([suffix]) => word.endsWith(suffix))
  if (rule === undefined) return word
  const stem = word.slice(0, -rule[0].length)
  return measure(stem) > 0 ? stem + rule[1] : word
}

function withoutEnding(word: string): string {
  if (/(?:s|t)ion$/.test(word)) return measure(word.slice(0, -3)) > 1 ? word.slice(0, -3) : word
  const suffix = STEP_FOUR.find((ending) => word.endsWith(ending))
  if (suffix === undefined) return word
  const stem = word.slice(0, -suffix.length)
  return measure(stem) > 1 ? stem : word
}

function withoutFinalE(word: string): string {
  let stem = word
  if (stem.endsWith('e')) {
    const before = stem.slice(0, -1)
    if (measure(before) > 1 || (measure(before) === 1 && !endsShort(before))) stem = before
  }
  return stem.endsWith('ll') && measure(stem) > 1 ? stem.slice(0, -1) : stem
}

function isVowel(word: string, index: number): boolean {
  const letter = word.charAt(index)
  return 'aeiou'.includes(letter) || (letter === 'y' && index > 0 && !isVowel(word, index - 1))
}

/** How often a vowel is followed by a consonant. */
function measure(stem: string): number {
  let count = 0
  for (let index = 1; index < stem.length; index++) if (isVowel(stem, index - 1) && !isVowel(stem, index)) count++
  return count
}

function hasVowel(stem: string): boolean {
  for (let index = 0; index < stem.length; index++) if (isVowel(stem, index)) return true
  return false
}

function endsDouble(stem: string): boolean {
  const last = stem.length - 1
  return last > 0 && stem.charAt(last) === stem.charAt(last - 1) && !'aeiou'.includes(stem.charAt(last))
}

/** Consonant, vowel, consonant, and the last none of w, x, y: `hop`, not `snow`. */
function endsShort(stem: string): boolean {
  const last = stem.length - 1
  return last > 1 && !isVowel(stem, last) && isVowel(stem, last - 1) && !isVowel(stem, last - 2) && !/[wxy]$/.test(stem)
}
