/** Which misses fail the bench. */
import type { Figure, Verdict } from './bench-row.ts'
import { knownMisses, type KnownMiss } from './known-misses.ts'

export interface JudgedFigure extends Figure {
  readonly value: number
  readonly verdict: Verdict
}

/** Names of figures that missed their budget for no known reason, or by more than the known reason explains. */
export function unexplainedMisses(row: string, figures: readonly JudgedFigure[], known: readonly KnownMiss[] = knownMisses): string[] {
  return figures.filter((figure) => figure.verdict === 'missed' && causeOf(row, figure, known) === undefined).map((figure) => figure.name)
}

/** Why a miss was to be expected; undefined where it was not. */
export function causeOf(row: string, figure: JudgedFigure, known: readonly KnownMiss[] = knownMisses): string | undefined {
  const miss = known.find((entry) => entry.row === row && entry.figure === figure.name)
  if (miss === undefined) return undefined
  const explained = figure.atLeast === true ? figure.value >= miss.upTo : figure.value <= miss.upTo
  return explained ? miss.cause : undefined
}

/** Figures that `known` speaks of and the row does not have: a name that was misspelt or has changed would excuse nothing, unseen. */
export function deadEntries(row: string, figures: readonly JudgedFigure[], known: readonly KnownMiss[] = knownMisses): string[] {
  const names = new Set(figures.map(({ name }) => name))
  return known.filter((miss) => miss.row === row && !names.has(miss.figure)).map(({ figure }) => figure)
}
