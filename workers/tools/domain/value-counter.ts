/** The most frequent values of a column in bounded memory. Exact while there are few different ones. */
export class ValueCounter {
  private readonly counts = new Map<string, number>()
  private readonly capacity: number
  private pruned = false
  private hopeless = 0
  /** Highest number of different values ever held at once: a lower bound once pruned. */
  private most = 0

  constructor(capacity: number) {
    this.capacity = capacity
  }

  add(value: string): void {
    const count = this.counts.get(value)
    if (count !== undefined) {
      this.counts.set(value, count + 1)
      return
    }
    // A column of ids has no frequent values; counting them on would cost more than it tells.
    if (this.hopeless >= 3) return
    if (this.counts.size >= this.capacity) this.prune()
    this.counts.set(ownCopy(value), 1)
    if (this.counts.size > this.most) this.most = this.counts.size
  }

  get exact(): boolean {
    return !this.pruned
  }

  distinct(): { count: number; atLeast: boolean } {
    return { count: this.most, atLeast: this.pruned }
  }

  /** Most frequent first, equal counts in order of value. Values seen only once are left out when pruned. */
  top(limit: number): { value: string; count: number }[] {
    return [...this.counts]
      .filter(([, count]) => !this.pruned || count > 1)
      .sort((left, right) => right[1] - left[1] || (left[0] < right[0] ? -1 : 1))
      .slice(0, limit)
      .map(([value, count]) => ({ value, count }))
  }

  /** Drops the rarer half; what remains counts on, so counts become lower bounds. */
  private prune(): void {
    this.pruned = true
    const sorted = [...this.counts.values()].sort((left, right) => left - right)
    const median = sorted[sorted.length >> 1] ?? 0
    this.hopeless = (sorted.at(-1) ?? 0) <= 2 ? this.hopeless + 1 : 0
    for (const [value, count] of this.counts) if (count <= median && this.counts.size > this.capacity / 2) this.counts.delete(value)
  }
}

/** A slice of a long text keeps the whole text alive; a copy does not. */
function ownCopy(value: string): string {
  return value.length < 13 ? value : (JSON.parse(JSON.stringify(value)) as string)
}
