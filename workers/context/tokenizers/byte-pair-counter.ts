/**
 * Counts the tokens of a byte-level BPE without making them. Exact for tokenizers whose merges can be told by
 * their joined strings alone (`make-vocabulary.ts` checks what it can of that, the tests compare the rest).
 */

import { Crossings } from './crossings.ts'

/** Cuts a text into the pieces that are merged each for itself. */
export type SplitText = (text: string, each: (piece: string) => void) => void

const SURROGATE = /[\ud800-\udfff]/
const LONGEST_CACHED = 48
const MOST_CACHED = 40_000
/** Above this many bytes the merge order is kept in a heap; below, looking at all pairs again is faster. */
const LONG_PIECE = 96

export class BytePairCounter {
  readonly #ranks: ReadonlyMap<string, number>
  readonly #split: SplitText
  readonly #known = new Map<string, number>()
  #crossings: Crossings | undefined

  constructor(ranks: ReadonlyMap<string, number>, split: SplitText) {
    this.#ranks = ranks
    this.#split = split
  }

  /** Tokens of `text`; special tokens written in it count as the plain text they are. */
  count(text: string): number {
    let tokens = 0
    this.#split(text, (piece) => {
      tokens += this.#countPiece(piece)
    })
    return tokens
  }

  #countPiece(piece: string): number {
    const known = this.#known.get(piece)
    if (known !== undefined) return known
    const tokens = isAscii(piece) ? this.#countBytes(piece) : this.#countWide(piece)
    this.#remember(piece, tokens)
    return tokens
  }

  /**
   * A run of Chinese has no breaks and is hardly ever seen twice, its parts are: it is cut where no string of the
   * vocabulary reaches over, which no merge can cross either.
   */
  #countWide(piece: string): number {
    if (piece.length < 3 || SURROGATE.test(piece)) return this.#countBytes(toBytes(piece))
    this.#crossings ??= new Crossings(this.#ranks.keys())
    let tokens = 0
    let start = 0
    for (let index = 1; index <= piece.length; index++) {
      if (index < piece.length && this.#crossings.mayCross(piece.charCodeAt(index - 1), piece.charCodeAt(index))) continue
      const part = piece.slice(start, index)
      let count = this.#known.get(part)
      if (count === undefined) {
        count = this.#countBytes(toBytes(part))
        this.#remember(part, count)
      }
      tokens += count
      start = index
    }
    return tokens
  }

  #countBytes(bytes: string): number {
    if (bytes.length === 1 || this.#ranks.has(bytes)) return 1
    return bytes.length <= LONG_PIECE ? this.#mergeShort(bytes) : this.#mergeLong(bytes)
  }

  #remember(piece: string, tokens: number): void {
    if (piece.length > LONGEST_CACHED) return
    if (this.#known.size >= MOST_CACHED) this.#known.clear()
    // A slice keeps the text it was cut from alive; a copy does not.
    this.#known.set(Buffer.from(piece, 'utf16le').toString('utf16le'), tokens)
  }

  #mergeShort(bytes: string): number {
    const ranks = this.#ranks
    const starts: number[] = []
    for (let index = 0; index <= bytes.length; index++) starts.push(index)
    const pairs: number[] = []
    for (let index = 0; index + 2 < starts.length; index++) pairs.push(ranks.get(bytes.slice(index, index + 2)) ?? Infinity)
    const rankAt = (index: number): number =>
      index + 2 < starts.length ? (ranks.get(bytes.slice(starts[index], starts[index + 2])) ?? Infinity) : Infinity
    for (;;) {
      let best = Infinity
      let at = -1
      for (let index = 0; index < pairs.length; index++) {
        const rank = pairs[index] as number
        if (rank < best) {
          best = rank
          at = index
        }
      }
      if (at < 0) return starts.length - 1
      starts.splice(at + 1, 1)
      pairs.splice(at, 1)
      if (at < pairs.length) pairs[at] = rankAt(at)
      if (at > 0) pairs[at - 1] = rankAt(at - 1)
    }
  }

  /** The same result for pieces of any length in n·log n: a doubly linked list of parts and a heap of pairs. */
  #mergeLong(bytes: string): number {
    const ranks = this.#ranks
    const length = bytes.length
    const next = new Int32Array(length + 1)
    const previous = new Int32Array(length + 1)
    const pairRank = new Float64Array(length).fill(Infinity)
    for (let index = 0; index <= length; index++) {
      next[index] = index + 1
      previous[index] = index - 1
    }
    const heap = new PairHeap()
    const consider = (start: number): void => {
      const middle = next[start] as number
      const rank = middle >= length ? undefined : ranks.get(bytes.slice(start, next[middle]))
      pairRank[start] = rank ?? Infinity
      if (rank !== undefined) heap.push(rank, start)
    }
    for (let index = 0; index < length - 1; index++) consider(index)
    let parts = length
    while (heap.size > 0) {
      const { rank, start } = heap.pop()
      // A pair whose parts have changed since has another rank now, or none.
      if (pairRank[start] !== rank) continue
      const middle = next[start] as number
      const end = next[middle] as number
      next[start] = end
      if (end <= length) previous[end] = start
      pairRank[middle] = Infinity
      parts--
      consider(start)
      const before = previous[start] as number
      if (before >= 0) consider(before)
    }
    return parts
  }
}

/** Lowest rank first; among equal ranks the leftmost, as the merge order demands. */
class PairHeap {
  readonly #rank: number[] = []
  readonly #start: number[] = []

  get size(): number {
    return this.#rank.length
  }

  push(rank: number, start: number): void {
    let at = this.#rank.length
    this.#rank.push(rank)
    this.#start.push(start)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#before(at, parent)) return
      this.#swap(at, parent)
      at = parent
    }
  }

  pop(): { rank: number; start: number } {
    const top = { rank: this.#rank[0] as number, start: this.#start[0] as number }
    const rank = this.#rank.pop() as number
    const start = this.#start.pop() as number
    if (this.#rank.length === 0) return top
    this.#rank[0] = rank
    this.#start[0] = start
    let at = 0
    for (;;) {
      const left = at * 2 + 1
      const right = left + 1
      let least = at
      if (left < this.#rank.length && this.#before(left, least)) least = left
      if (right < this.#rank.length && this.#before(right, least)) least = right
      if (least === at) return top
      this.#swap(at, least)
      at = least
    }
  }

  #before(left: number, right: number): boolean {
    const difference = (this.#rank[left] as number) - (this.#rank[right] as number)
    return difference < 0 || (difference === 0 && (this.#start[left] as number) < (this.#start[right] as number))
  }

  #swap(left: number, right: number): void {
    const rank = this.#rank[left] as number
    const start = this.#start[left] as number
    this.#rank[left] = this.#rank[right] as number
    this.#start[left] = this.#start[right] as number
    this.#rank[right] = rank
    this.#start[right] = start
  }
}

function toBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false
  return true
}
