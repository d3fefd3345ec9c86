/** One typed line → program and arguments, as a shell would without doing anything else: spaces part, quotes hold together. */
export function splitCommand(line: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let index = 0; index < line.length; index += 1) {
    const character = line[index] ?? ''
    if (quote !== '') {
      if (character === quote) quote = ''
      else word = (word ?? '') + character
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + character
  }
  if (word !== undefined) words.push(word)
  return words
}
