/** The judge of greedy commands: what they leave behind is no excuse, load from elsewhere is. */
import { expect, test } from 'vitest'
import { judgeHogs, type Stretch } from './judge-hogs.ts'

const gaps = (milliseconds: number): number[] => Array.from({ length: 100 }, () => milliseconds)
const stretch = (milliseconds: number, foreignCores = 0): Stretch => ({ gaps: gaps(milliseconds), foreignCores })

test('a hog that slows the stretch after it as well is not excused by that', () => {
  expect(judgeHogs([stretch(10), stretch(50)], [gaps(50)], 0.3)).toEqual([{ judged: true, ratio: 5 }])
  // Nor by the hogs after it.
  const [first] = judgeHogs([stretch(10), stretch(50), stretch(50)], [gaps(50), gaps(50)], 0.3)
  expect(first).toEqual({ judged: true, ratio: 5 })
})

test('a machine that was no better before counts as it was', () => {
  expect(judgeHogs([stretch(30), stretch(10)], [gaps(45)], 0.3)).toEqual([{ judged: true, ratio: 1.5 }])
})

test('load from elsewhere, before or after, is not judged; after it has begun, nothing is', () => {
  const judged = (foreign: number[]): boolean[] =>
    judgeHogs(
      foreign.map((cores) => stretch(10, cores)),
      foreign.slice(1).map(() => gaps(10)),
      0.3,
    ).map((verdict) => verdict.judged)
  expect(judged([0, 0, 0])).toEqual([true, true])
  expect(judged([0, 0, 1])).toEqual([true, false])
  expect(judged([0, 1, 0])).toEqual([false, false])
  expect(judged([1, 0, 0])).toEqual([false, false])
})
