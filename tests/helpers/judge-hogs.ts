/** Whether tokens beside something greedy come as evenly as before it. Pure, so that the judge can be judged. */
import { quantile } from '../bench/measure.ts'

/** Undisturbed: milliseconds between two tokens, and the cores that others used meanwhile. */
export interface Stretch {
  readonly gaps: readonly number[]
  readonly foreignCores: number
}
export interface RoundVerdict {
  readonly judged: boolean
  /** p99 beside this hog and those before it, over the worst p99 of the stretches before it. */
  readonly ratio: number
}

/**
 * What a hog leaves behind (something alive, memory that others must get back first) falls on the stretch after it: that
 * one never counts as calm for it. It only tells of load from elsewhere which began beside the hog and goes on.
 * @param alone one more than there are hogs: before the first, between two, after the last.
 */
export function judgeHogs(alone: readonly Stretch[], beside: readonly (readonly number[])[], quietCores: number): RoundVerdict[] {
  if (alone.length !== beside.length + 1) throw new Error('one stretch before each hog and one after the last')
  return beside.map((_gaps, round) => {
    const around = alone.slice(0, round + 2)
    const calm = Math.max(...around.slice(0, -1).map(({ gaps }) => quantile(gaps, 0.99)))
    return {
      judged: around.every(({ foreignCores }) => foreignCores < quietCores),
      ratio: quantile(beside.slice(0, round + 1).flat(), 0.99) / calm,
    }
  })
}
