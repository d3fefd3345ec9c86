/** Deadlines that count only time in which this thread could run: a process that was stopped, or a machine that slept, is no timeout. */

interface Clock {
  setTimeout(run: () => void, milliseconds: number): unknown
  clearTimeout(timer: unknown): void
  readonly performance: { now(): number }
}
const clock = globalThis as unknown as Clock

/** Time is counted in pieces of at most this length, so that one pause cannot count for more. */
const LOOK_MS = 1_000
/** A look that comes later than this was held up by something. */
const LATE_MS = 500

/**
 * Calls `run` once after `milliseconds` of waking time. The first look after a pause counts nothing: an answer
 * that came during the pause is still on its way in.
 * @returns takes it back; harmless afterwards.
 */
export function awakeTimeout(run: () => void, milliseconds: number): () => void {
  let left = milliseconds
  let heldUp = false
  let timer: unknown
  const wait = (): void => {
    const piece = Math.min(left, LOOK_MS)
    const due = clock.performance.now() + piece
    timer = clock.setTimeout(() => {
      // A thread that is late every time is merely slow, and its deadlines must pass some day.
      heldUp = !heldUp && clock.performance.now() - due > LATE_MS
      if (!heldUp) left -= piece
      if (left > 0) return wait()
      run()
    }, piece)
  }
  wait()
  return () => clock.clearTimeout(timer)
}
