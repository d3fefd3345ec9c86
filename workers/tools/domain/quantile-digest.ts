/** Quantiles of a stream of numbers in bounded memory: a merging t-digest. Exact while few values came. */

const BUFFER = 4096
/** More centroids, smaller error: about 0.5 % of rank in the middle, less at the ends. */
const COMPRESSION = 200

export class QuantileDigest {
  private readonly buffer = new Float64Array(BUFFER)
  private filled = 0
  private means: number[] = []
  private weights: number[] = []
  private merged = 0

  add(value: number): void {
    if (this.filled === BUFFER) this.merge()
    this.buffer[this.filled++] = value
  }

  get exact(): boolean {
    return this.merged === 0
  }

  /** `share` from 0 to 1; linear interpolation between neighbours. NaN when nothing was added. */
  quantile(share: number): number {
    if (this.exact) return exactQuantile(this.buffer.slice(0, this.filled).sort(), share)
    if (this.filled > 0) this.merge()
    const target = share * this.merged
    let before = 0
    for (let index = 0; index < this.means.length; index++) {
      const weight = this.weights[index] as number
      const middle = before + weight / 2
      if (target < middle || index === this.means.length - 1) {
        const mean = this.means[index] as number
        if (index === 0 || target >= middle) return mean
        const previousMean = this.means[index - 1] as number
        const previousMiddle = before - (this.weights[index - 1] as number) / 2
        return previousMean + ((mean - previousMean) * (target - previousMiddle)) / (middle - previousMiddle)
      }
      before += weight
    }
    return NaN
  }

  private merge(): void {
    const incoming = this.buffer.slice(0, this.filled).sort()
    this.filled = 0
    const total = this.merged + incoming.length
    const means: number[] = []
    const weights: number[] = []
    let left = 0
    let right = 0
    let done = 0
    let limit = 0
    while (left < this.means.length || right < incoming.length) {
      const fromOld = right >= incoming.length || (left < this.means.length && (this.means[left] as number) <= (incoming[right] as number))
      const mean = fromOld ? (this.means[left] as number) : (incoming[right] as number)
      const weight = fromOld ? (this.weights[left++] as number) : 1
      if (!fromOld) right++
      const last = means.length - 1
      if (last >= 0 && done + weight <= limit) {
        const sum = (weights[last] as number) + weight
        means[last] = (means[last] as number) + ((mean - (means[last] as number)) * weight) / sum
        weights[last] = sum
      } else {
        means.push(mean)
        weights.push(weight)
        // Centroids are small near the ends and large in the middle.
        limit = total * nextBoundary(done / total)
      }
      done += weight
    }
    this.means = means
    this.weights = weights
    this.merged = total
  }
}

function nextBoundary(share: number): number {
  const scale = (COMPRESSION / (2 * Math.PI)) * Math.asin(2 * share - 1) + 1
  return (Math.sin(Math.min(Math.PI / 2, (scale * 2 * Math.PI) / COMPRESSION)) + 1) / 2
}

function exactQuantile(sorted: Float64Array, share: number): number {
  if (sorted.length === 0) return NaN
  const place = share * (sorted.length - 1)
  const low = Math.floor(place)
  const lower = sorted[low] as number
  const upper = sorted[Math.min(low + 1, sorted.length - 1)] as number
  return lower + (upper - lower) * (place - low)
}
