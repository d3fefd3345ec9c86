/** How much two texts say the same: shared pairs of characters over all pairs, 0 to 1. Case, width and punctuation do not count. */
export function likeness(one: string, other: string): number {
  const left = pairs(one)
  const right = pairs(other)
  if (left.size === 0 || right.size === 0) return foldText(one) === foldText(other) ? 1 : 0
  let shared = 0
  for (const pair of left) if (right.has(pair)) shared++
  return shared / (left.size + right.size - shared)
}

/** NFKC, lower case, runs of white space as one blank. Two texts with the same fold are the same item. */
export function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim()
}

function pairs(text: string): Set<string> {
  const letters = foldText(text).replace(/[^\p{L}\p{N}]/gu, '')
  const found = new Set<string>()
  for (let index = 1; index < letters.length; index++) found.add(letters.slice(index - 1, index + 1))
  return found
}
