/** What a row of the bench is, and how its figures are judged. */

export interface BenchContext {
  /** `short` for CI: the same scenario with smaller numbers. */
  readonly size: 'short' | 'full'
  readonly pairs: number
  /** `node` and the built launcher. */
  readonly node: string
  readonly metona: string
  readonly root: string
  /** A fresh folder for each call. */
  scratch(): Promise<string>
}

export interface Figure {
  readonly name: string
  readonly ours: number
  readonly floor?: number
  readonly unit: string
  /** Ours, or ours divided by the floor when `ratio`; at most this, or at least when `atLeast`. Absent: only reported. */
  readonly budget?: number
  readonly ratio?: boolean
  readonly atLeast?: boolean
  /** Times are judged only while others used less than 0.3 core; CPU seconds and counts always. */
  readonly kind: 'time' | 'cpu' | 'count'
}

export interface BenchRow {
  readonly name: string
  readonly title: string
  /** Takes minutes even when short: left out of `--short` unless it is named. */
  readonly slow?: boolean
  /** Runs of ours and of the floor, alternating; `raw` holds every single run. */
  run(context: BenchContext): Promise<{ figures: Figure[]; foreignCores: number; raw: unknown }>
}

export type Verdict = 'met' | 'missed' | 'not judged' | 'reported'

export const QUIET_CORES = 0.3

export function judge(figure: Figure, foreignCores: number): Verdict {
  if (figure.budget === undefined) return 'reported'
  if (figure.kind === 'time' && foreignCores >= QUIET_CORES) return 'not judged'
  const value = valueOf(figure)
  return (figure.atLeast === true ? value >= figure.budget : value <= figure.budget) ? 'met' : 'missed'
}

/** The number that the budget is about. */
export function valueOf(figure: Figure): number {
  return figure.ratio === true ? figure.ours / (figure.floor ?? Number.NaN) : figure.ours
}
