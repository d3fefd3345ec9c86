/** What analyse_csv's thread is given and what it finds. Plain data: it crosses threads. */
import type { TextEncodingName } from '../domain/detect-encoding.ts'

export interface CsvInput {
  /** An open file; reading is by position, its own offset stays. */
  readonly fd: number
  readonly size: number
}

export type CsvColumnType = 'integer' | 'number' | 'boolean' | 'date' | 'text' | 'mixed' | 'empty'

export interface CsvColumn {
  readonly name: string
  readonly type: CsvColumnType
  /** How many values are of which type, when `mixed`. */
  readonly types?: Readonly<Record<string, number>>
  readonly count: number
  readonly nulls: number
  /** Exact up to 10,000, then a lower bound. */
  readonly distinct: { readonly count: number; readonly atLeast: boolean }
  /** Of numbers; quantiles are approximate (t-digest) and say so. */
  readonly numbers?: {
    readonly min: number
    readonly max: number
    readonly mean: number
    readonly sum: number
    readonly standardDeviation: number
    readonly quantiles: { readonly p25: number; readonly p50: number; readonly p75: number; readonly p95: number }
    readonly quantilesExact: boolean
  }
  /** Of dates and texts: the first and last in order; length bounds for texts. */
  readonly texts?: { readonly min: string; readonly max: string; readonly shortest: number; readonly longest: number }
  /** Most frequent values; counts are lower bounds when `topExact` is false. */
  readonly top: readonly { readonly value: string; readonly count: number }[]
  readonly topExact: boolean
}

export interface CsvReport {
  /** Records without the header. */
  readonly rows: number
  readonly columns: readonly CsvColumn[]
  readonly header: boolean
  readonly delimiter: string
  readonly encoding: TextEncodingName
  readonly bom: boolean
  readonly bytes: number
  /** Records whose number of fields is not that of the header. */
  readonly ragged: { readonly count: number; readonly firstLine?: number }
  /** Line on which a quoted field began that was never closed. */
  readonly unclosedQuoteLine?: number
  readonly sample: readonly (readonly string[])[]
  readonly notes: readonly string[]
}

export type CsvFailure = { readonly failure: 'binary' | 'stopped' | 'too_many_columns'; readonly message: string }
