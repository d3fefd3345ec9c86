/**
 * A provider's prefix cache as its documentation describes it: a hit needs a stored prefix in full. Prefixes are
 * stored at the end of a request's input and of its output, where several requests agreed, and every so many
 * tokens inside a long input. Nothing is evicted; sizes are told by the caller.
 */
import { createHash } from 'node:crypto'

export interface Segment {
  /** Its bytes as sent. */
  readonly text: string
  readonly tokens: number
}

const INTERVAL_TOKENS = 4_096

interface Mark {
  readonly segment: Segment
  /** Names the whole prefix up to and with this segment. */
  readonly prefix: string
  readonly tokens: number
}

export class PrefixCache {
  readonly #stored = new Set<string>()
  readonly #seen = new Set<string>()
  #marks: Mark[] = []
  hitTokens = 0
  inputTokens = 0

  /** @param output the answer's segment as it will stand in the next request. @returns the tokens found in the cache. */
  send(input: readonly Segment[], output?: Segment): number {
    const marks = this.#marksOf(input)
    const last = marks.at(-1)
    if (last === undefined) return 0
    const hit = marks.findLast((mark) => this.#stored.has(mark.prefix))?.tokens ?? 0
    let nextInterval = INTERVAL_TOKENS
    for (const mark of marks) {
      // What a second request begins with as well is worth storing.
      if (this.#seen.has(mark.prefix)) this.#stored.add(mark.prefix)
      else this.#seen.add(mark.prefix)
      if (mark.tokens < nextInterval) continue
      this.#stored.add(mark.prefix)
      while (nextInterval <= mark.tokens) nextInterval += INTERVAL_TOKENS
    }
    this.#stored.add(last.prefix)
    if (output !== undefined) this.#stored.add(join(last.prefix, output))
    this.hitTokens += hit
    this.inputTokens += last.tokens
    return hit
  }

  get hitShare(): number {
    return this.hitTokens / this.inputTokens
  }

  /** Prefixes that the previous request had too are taken over; only what is new is hashed. */
  #marksOf(input: readonly Segment[]): Mark[] {
    let same = 0
    while (same < input.length && this.#marks[same]?.segment === input[same]) same++
    const marks = this.#marks.slice(0, same)
    for (const segment of input.slice(same)) {
      const before = marks.at(-1)
      marks.push({ segment, prefix: join(before?.prefix ?? '', segment), tokens: (before?.tokens ?? 0) + segment.tokens })
    }
    this.#marks = marks
    return marks
  }
}

function join(prefix: string, segment: Segment): string {
  return createHash('sha1').update(`${prefix}\n${segment.text}`).digest('base64')
}
