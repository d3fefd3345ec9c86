/** Between which two characters a merge can reach at all, by the strings of the vocabulary. */

/** Pairs of characters remembered; a text seldom has more. */
const MOST_KNOWN = 200_000

export class Crossings {
  /** By bytes left and right of a border: what stands around it in some string of the vocabulary. */
  readonly #around: (Set<string> | undefined)[] = []
  readonly #known = new Map<number, boolean>()

  /** @param strings the vocabulary, each as one letter per byte. */
  constructor(strings: Iterable<string>) {
    for (const string of strings) {
      if (!hasWide(string)) continue
      for (let border = 1; border < string.length; border++) {
        if (isContinuation(string.charCodeAt(border))) continue
        let left = border - 1
        while (left > 0 && isContinuation(string.charCodeAt(left))) left--
        let right = border + 1
        while (right < string.length && isContinuation(string.charCodeAt(right))) right++
        const key = keyOf(border - left, right - border)
        const around = (this.#around[key] ??= new Set())
        around.add(string.slice(left, right))
      }
    }
  }

  /** False when no merge can join `left` and `right` (UTF-16 units, no surrogates), whatever stands beside them. */
  mayCross(left: number, right: number): boolean {
    const pair = left * 65_536 + right
    let answer = this.#known.get(pair)
    if (answer === undefined) {
      answer = (left < 128 && right < 128) || this.#look(bytesOf(left), bytesOf(right))
      if (this.#known.size >= MOST_KNOWN) this.#known.clear()
      this.#known.set(pair, answer)
    }
    return answer
  }

  /** A string of the vocabulary may begin inside the left character and end inside the right one. */
  #look(left: string, right: string): boolean {
    for (let before = 1; before <= left.length; before++) {
      for (let behind = 1; behind <= right.length; behind++) {
        if (this.#around[keyOf(before, behind)]?.has(left.slice(left.length - before) + right.slice(0, behind)) === true) return true
      }
    }
    return false
  }
}

function keyOf(before: number, behind: number): number {
  return before * 8 + behind
}

function bytesOf(unit: number): string {
  return Buffer.from(String.fromCharCode(unit), 'utf8').toString('latin1')
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80
}

function hasWide(string: string): boolean {
  for (let index = 0; index < string.length; index++) if (string.charCodeAt(index) > 127) return true
  return false
}
