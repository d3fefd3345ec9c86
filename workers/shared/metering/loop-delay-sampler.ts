/**
 * How late a thread's event loop runs. The meter wakes its thread 200 times a second, so it runs one second of ten
 * while the thread works, all the time while somebody looks, and not at all in an idle app.
 */
import type { ELDHistogram } from 'node:perf_hooks'
import type { LoopDelay } from '#contracts/health/thread-health.ts'

const RESOLUTION_MS = 5
const SAMPLE_MS = 1_000
const PAUSE_MS = 9_000
/** After a reading the meter stays on for this long. */
const WATCHED_MS = 10_000

export class LoopDelaySampler {
  #histogram: ELDHistogram | undefined
  #timer: NodeJS.Timeout | undefined
  #on = false
  #worked = false
  #watchedUntil = 0
  /** Of the sample before the one that runs. */
  #before: LoopDelay | undefined

  /** The thread does something. */
  work(): void {
    this.#worked = true
    // The first sample comes a while after the start, which is nobody's working time.
    this.#timer ??= this.#after(PAUSE_MS / 3)
  }

  /** The larger of the sample that runs and the one before; undefined before the first. */
  read(): LoopDelay | undefined {
    this.#watchedUntil = performance.now() + WATCHED_MS
    const now = this.#sample()
    if (!this.#on) {
      clearTimeout(this.#timer)
      this.#turn()
    }
    const before = this.#before
    if (now === undefined || before === undefined) return now ?? before
    return { meanMs: now.meanMs, p99Ms: Math.max(now.p99Ms, before.p99Ms), maxMs: Math.max(now.maxMs, before.maxMs) }
  }

  #after(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.#turn(), milliseconds).unref()
  }

  #turn(): void {
    const wanted = this.#worked || performance.now() < this.#watchedUntil
    this.#worked = false
    this.#timer = undefined
    if (this.#on) {
      this.#before = this.#sample() ?? this.#before
      this.#histogram?.reset()
      if (performance.now() < this.#watchedUntil) this.#timer = this.#after(SAMPLE_MS)
      else {
        this.#histogram?.disable()
        this.#on = false
        if (wanted) this.#timer = this.#after(PAUSE_MS)
      }
      return
    }
    if (!wanted) return
    this.#histogram ??= process.getBuiltinModule('node:perf_hooks').monitorEventLoopDelay({ resolution: RESOLUTION_MS })
    this.#histogram.reset()
    this.#histogram.enable()
    this.#on = true
    this.#timer = this.#after(SAMPLE_MS)
  }

  #sample(): LoopDelay | undefined {
    const histogram = this.#histogram
    if (histogram === undefined || !this.#on || histogram.count === 0) return undefined
    return { meanMs: net(histogram.mean), p99Ms: net(histogram.percentile(99)), maxMs: net(histogram.max) }
  }
}

function net(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS)
}
