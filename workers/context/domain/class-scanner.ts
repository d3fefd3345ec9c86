/**
 * A token estimate without a vocabulary: counts of character classes times fitted weights. One pass, no
 * allocation. The weights come from `tokenizers/fit-class-scanner.ts`.
 */
import { scannerWeights, type ScannerFamily } from './scanner-weights.ts'

export const scannerFeatures = [
  'letters',
  'capitals',
  'words',
  'longLetters',
  'camelHumps',
  'digits',
  'digitRuns',
  'spaceRuns',
  'runSpaces',
  'lineBreaks',
  'lineBreakRuns',
  'tabs',
  'marks',
  'markRuns',
  'han',
  'hanRuns',
  'rareHan',
  'wideMarks',
  'kana',
  'hangul',
  'otherLetters',
  'otherWords',
  'accented',
  'emoji',
  'mixedJoints',
] as const
export const FEATURE_COUNT = scannerFeatures.length

const kinds = {
  lower: 1,
  upper: 2,
  digit: 3,
  space: 4,
  lineBreak: 5,
  tab: 6,
  mark: 7,
  han: 8,
  rareHan: 9,
  wideMark: 10,
  kana: 11,
  hangul: 12,
  other: 13,
  accented: 14,
  emoji: 15,
} as const
const ascii = new Uint8Array(128)
for (let code = 0; code < 128; code++) {
  ascii[code] =
    code >= 97 && code <= 122
      ? kinds.lower
      : code >= 65 && code <= 90
        ? kinds.upper
        : code >= 48 && code <= 57
          ? kinds.digit
          : code === 32
            ? kinds.space
            : code === 10 || code === 13
              ? kinds.lineBreak
              : code === 9
                ? kinds.tab
                : kinds.mark
}

/** The class of a UTF-16 unit beyond ASCII. Low surrogates never get here. */
function wideClass(code: number): number {
  if (code >= 0x4e00 && code <= 0x9fff) return kinds.han
  if (code >= 0xc0 && code <= 0x24f) return kinds.accented
  if (code >= 0x3040 && code <= 0x30ff) return kinds.kana
  if (code >= 0xac00 && code <= 0xd7a3) return kinds.hangul
  if ((code >= 0x3000 && code <= 0x303f) || (code >= 0xff00 && code <= 0xffef) || (code >= 0x2010 && code <= 0x2027)) return kinds.wideMark
  if ((code >= 0x3400 && code <= 0x4dbf) || (code >= 0xf900 && code <= 0xfaff)) return kinds.rareHan
  if (code >= 0xd840 && code <= 0xd87f) return kinds.rareHan
  if ((code >= 0xd800 && code <= 0xdbff) || (code >= 0x2190 && code <= 0x2bff) || code === 0xfe0f || code === 0x200d) return kinds.emoji
  return kinds.other
}

/** Adds the class counts of `text` to `features` (length `FEATURE_COUNT`, in the order of `scannerFeatures`). */
export function scanClasses(text: string, features: Float64Array): void {
  let letters = 0,
    capitals = 0,
    words = 0,
    longLetters = 0,
    humps = 0,
    digits = 0,
    digitRuns = 0,
    spaceRuns = 0,
    runSpaces = 0,
    lineBreaks = 0
  let lineBreakRuns = 0,
    tabs = 0,
    marks = 0,
    markRuns = 0,
    han = 0,
    hanRuns = 0,
    rareHan = 0,
    wideMarks = 0,
    kana = 0,
    hangul = 0
  let others = 0,
    otherWords = 0,
    accented = 0,
    emoji = 0,
    joints = 0
  let last = 0
  let run = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code >= 0xdc00 && code <= 0xdfff) continue
    const kind = code < 128 ? (ascii[code] as number) : wideClass(code)
    switch (kind) {
      case kinds.lower:
        letters++
        if (last === kinds.lower || last === kinds.upper || last === kinds.accented) {
          if (++run > 7) longLetters++
        } else {
          words++
          run = 1
          if (last === kinds.digit) joints++
        }
        break
      case kinds.upper:
        letters++
        capitals++
        if (last === kinds.lower) {
          humps++
          run = 1
        } else if (last === kinds.upper) {
          if (++run > 7) longLetters++
        } else {
          words++
          run = 1
          if (last === kinds.digit) joints++
        }
        break
      case kinds.digit:
        digits++
        if (last !== kinds.digit) {
          digitRuns++
          if (last === kinds.lower || last === kinds.upper) joints++
        }
        break
      case kinds.space:
        if (last === kinds.space) runSpaces++
        else spaceRuns++
        break
      case kinds.lineBreak:
        lineBreaks++
        if (last !== kinds.lineBreak) lineBreakRuns++
        break
      case kinds.tab:
        tabs++
        break
      case kinds.mark:
        marks++
        if (last !== kinds.mark) markRuns++
        break
      case kinds.han:
        han++
        if (last !== kinds.han) hanRuns++
        break
      case kinds.rareHan:
        rareHan++
        break
      case kinds.wideMark:
        wideMarks++
        break
      case kinds.kana:
        kana++
        break
      case kinds.hangul:
        hangul++
        break
      case kinds.accented:
        accented++
        if (last !== kinds.lower && last !== kinds.accented) words++
        break
      case kinds.emoji:
        emoji++
        break
      default:
        others++
        if (last !== kinds.other) otherWords++
    }
    last = kind
  }
  const counts = [
    letters,
    capitals,
    words,
    longLetters,
    humps,
    digits,
    digitRuns,
    spaceRuns,
    runSpaces,
    lineBreaks,
    lineBreakRuns,
    tabs,
    marks,
    markRuns,
    han,
    hanRuns,
    rareHan,
    wideMarks,
    kana,
    hangul,
    others,
    otherWords,
    accented,
    emoji,
    joints,
  ]
  for (let index = 0; index < counts.length; index++) features[index] = (features[index] as number) + (counts[index] as number)
}

const scratch = new Float64Array(FEATURE_COUNT)

/** Estimated tokens of `text` for a tokenizer family; 0 only for the empty text. */
export function estimateTokens(text: string, family: ScannerFamily): number {
  if (text === '') return 0
  scratch.fill(0)
  scanClasses(text, scratch)
  const weights = scannerWeights[family]
  let sum = 0
  for (let index = 0; index < FEATURE_COUNT; index++) sum += (scratch[index] as number) * (weights[index] as number)
  return Math.max(1, Math.round(sum))
}
