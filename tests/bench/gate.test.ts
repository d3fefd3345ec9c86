import { describe, expect, it, test } from 'vitest'
import { judge, valueOf, type Figure } from './bench-row.ts'
import { deadEntries, unexplainedMisses, type JudgedFigure } from './gate.ts'
import { knownMisses, type KnownMiss } from './known-misses.ts'
import { foreignBeside, quantile } from './measure.ts'
import { benchRows } from './rows/index.ts'

const FIGURE: Figure = { name: 'gap', ours: 30, floor: 20, unit: 'ms', budget: 1.25, ratio: true, kind: 'time' }
const KNOWN: KnownMiss[] = [{ row: 'loop', figure: 'gap', upTo: 2, cause: 'three commits' }]

function judged(figure: Figure, foreignCores = 0): JudgedFigure {
  return { ...figure, value: valueOf(figure), verdict: judge(figure, foreignCores) }
}

describe('a figure', () => {
  it.each<[string, Partial<Figure>, number, string]>([
    ['over its budget', {}, 0, 'missed'],
    ['at its budget', { ours: 25 }, 0, 'met'],
    ['of time beside others', {}, 0.3, 'not judged'],
    ['of processor time beside others', { kind: 'cpu' }, 2, 'missed'],
    ['counted beside others', { kind: 'count' }, 2, 'missed'],
    ['that must be large and is not', { ours: 10, budget: 0.6, atLeast: true }, 0, 'missed'],
    ['that must be large and is', { ours: 12, budget: 0.6, atLeast: true }, 0, 'met'],
    ['whose floor was not measured', { floor: Number.NaN }, 0, 'missed'],
  ])('%s', (_name, change, foreignCores, verdict) => {
    expect(judge({ ...FIGURE, ...change }, foreignCores)).toBe(verdict)
  })
})

describe('the gate', () => {
  it('lets a known miss pass as far as its cause reaches', () => {
    expect(unexplainedMisses('loop', [judged(FIGURE)], KNOWN)).toEqual([])
    expect(unexplainedMisses('loop', [judged({ ...FIGURE, ours: 41 })], KNOWN)).toEqual(['gap'])
  })

  it('lets no other miss pass', () => {
    expect(unexplainedMisses('another', [judged(FIGURE)], KNOWN)).toEqual(['gap'])
    expect(unexplainedMisses('loop', [judged(FIGURE)], [])).toEqual(['gap'])
  })

  it('takes less than a large figure reached as worse', () => {
    const rate: Figure = { name: 'rate', ours: 0.5, unit: '×', budget: 0.6, atLeast: true, kind: 'cpu' }
    const known = [{ row: 'flood', figure: 'rate', upTo: 0.4, cause: 'the end' }]
    expect(unexplainedMisses('flood', [judged(rate)], known)).toEqual([])
    expect(unexplainedMisses('flood', [judged({ ...rate, ours: 0.3 })], known)).toEqual(['rate'])
  })
})

test('an entry of a figure that the row does not have is named', () => {
  expect(deadEntries('loop', [judged(FIGURE)], KNOWN)).toEqual([])
  expect(deadEntries('loop', [judged({ ...FIGURE, name: 'gap median' })], KNOWN)).toEqual(['gap'])
})

test('every known miss is of a row there is', () => {
  const rows = new Set(benchRows.map((row) => row.name))
  expect(knownMisses.filter((miss) => !rows.has(miss.row))).toEqual([])
})

test('of two sides the one that was disturbed more counts', () => {
  const of = (...cores: number[]): { foreignCores: number }[] => cores.map((foreignCores) => ({ foreignCores }))
  expect(foreignBeside(of(0, 0.1, 0.9), of(0.4, 0.5, 0.6))).toBe(0.5)
})

test.each([
  [[1, 2, 3, 4], 0.5, 2.5],
  [[4, 1, 3, 2, 5], 0.9, 4.6],
  [[7], 0.99, 7],
])('quantile of %j at %d', (values, share, expected) => {
  expect(quantile(values, share)).toBeCloseTo(expected, 10)
})
