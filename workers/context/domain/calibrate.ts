/**
 * From counted texts to an honest estimate: what the provider reported last is the anchor, only what came since
 * is counted; where there is no anchor, an offset and a slope learned from earlier reports stand in.
 */

export interface Calibration {
  /** Tokens the provider adds to every request beyond what is counted. */
  readonly offset: number
  /** Provider's tokens per counted token; 1 for exact counters. */
  readonly slope: number
}

export const UNCALIBRATED: Calibration = { offset: 0, slope: 1 }
const LEAST_SLOPE = 0.6
const LARGEST_SLOPE = 1.8
const LONG_PROMPT = 20_000
const LARGEST_OFFSET = 4_000
/** Less new text than this says nothing about the slope. */
const LEAST_EVIDENCE = 200

export function estimateWhole(counted: number, calibration: Calibration): number {
  return Math.max(0, Math.round(calibration.offset + counted * calibration.slope))
}

/** @param answer tokens of the anchored request's own answer, as reported; @param counted what else came since. */
export function estimateSince(reported: number, answer: number, counted: number, calibration: Calibration): number {
  return Math.round(reported + answer + counted * calibration.slope)
}

/**
 * From a report whose estimate had no anchor. A short prompt shows the constant overhead; in a long one most of the
 * difference is the counter's own, and must not burden the next short session.
 */
export function learnOffset(reported: number, counted: number, calibration: Calibration): Calibration {
  const difference = reported - counted * calibration.slope
  if (counted < LONG_PROMPT) return { offset: difference, slope: calibration.slope }
  return { offset: Math.min(LARGEST_OFFSET, Math.max(-LARGEST_OFFSET, difference)), slope: calibration.slope }
}

/**
 * From two reports of one session: only their difference counts, so that a constant overhead cannot bend the
 * slope. @param grown reported growth without the answer; @param counted the counted tokens of the same messages.
 */
export function learnSlope(grown: number, counted: number, calibration: Calibration): Calibration {
  if (counted < LEAST_EVIDENCE) return calibration
  const seen = Math.min(LARGEST_SLOPE, Math.max(LEAST_SLOPE, grown / counted))
  const weight = Math.min(0.5, counted / 4_000)
  return { offset: calibration.offset, slope: calibration.slope + (seen - calibration.slope) * weight }
}

/** A report that cannot be the whole prompt: absent, or what a local server re-read besides its cache. */
export function isCredible(reported: number, estimated: number): boolean {
  return reported > 0 && (estimated < 400 || reported >= estimated * 0.4)
}
