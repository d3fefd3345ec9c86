import type { Spread } from '#contracts/health/thread-health.ts'

/** Five steps an octave: a step is 15 %, which is as exact as anybody needs to know why something is slow. */
const STEPS = 5
const BUCKETS = STEPS * 28

/** Durations in milliseconds, counted in steps of 15 % from a microsecond to four minutes. Fixed size, no library. */
export class DurationHistogram {
  readonly #counts = new Uint32Array(BUCKETS)
  #count = 0
  #total = 0
  #max = 0

  get count(): number {
    return this.#count
  }

  get totalMs(): number {
    return this.#total
  }

  add(milliseconds: number): void {
    const bucket = Math.ceil(Math.log2(Math.max(1, milliseconds * 1000)) * STEPS)
    const index = Math.min(BUCKETS - 1, bucket)
    this.#counts[index] = (this.#counts[index] ?? 0) + 1
    this.#count += 1
    this.#total += milliseconds
    if (milliseconds > this.#max) this.#max = milliseconds
  }

  spread(): Spread {
    return { p50Ms: this.#quantile(0.5), p99Ms: this.#quantile(0.99), maxMs: this.#max }
  }

  /** The upper edge of the step in which the wanted value lies, never more than the largest. */
  #quantile(share: number): number {
    let left = Math.ceil(this.#count * share)
    if (left === 0) return 0
    for (let index = 0; index < BUCKETS; index++) {
      left -= this.#counts[index] ?? 0
      if (left <= 0) return Math.min(this.#max, 2 ** (index / STEPS) / 1000)
    }
    return this.#max
  }
}
