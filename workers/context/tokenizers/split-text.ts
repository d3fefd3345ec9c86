/** How each tokenizer cuts a text before merging: the patterns are facts of their published configurations. */

const DEEPSEEK_NUMBERS = /\p{N}{1,3}/gu
const DEEPSEEK_IDEOGRAPHS = /[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+/gu
const DEEPSEEK_WORDS =
  /[!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu
const QWEN_WORDS =
  /(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu

/** Three patterns one after the other; each cuts what the previous one left, and what it did not match stays a piece. */
export function splitDeepseek(text: string, each: (piece: string) => void): void {
  cut(text, DEEPSEEK_NUMBERS, each, (rest) => cut(rest, DEEPSEEK_IDEOGRAPHS, each, (words) => cut(words, DEEPSEEK_WORDS, each, each)))
}

/** Works on the composed form (NFC), as the tokenizer does. */
export function splitQwen(text: string, each: (piece: string) => void): void {
  cut(text.normalize('NFC'), QWEN_WORDS, each, each)
}

/** Calls `matched` for every match and `between` for what lies between, in order, never with an empty text. */
function cut(text: string, pattern: RegExp, matched: (piece: string) => void, between: (piece: string) => void): void {
  let from = 0
  for (const match of text.matchAll(pattern)) {
    const piece = match[0]
    if (piece === '') continue
    if (match.index > from) between(text.slice(from, match.index))
    matched(piece)
    from = match.index + piece.length
  }
  if (from < text.length) between(from === 0 ? text : text.slice(from))
}
