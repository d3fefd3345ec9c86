/** One pass over a column's values: types, nulls, bounds, quantiles, frequent values. */
import { QuantileDigest } from './quantile-digest.ts'
import { ValueCounter } from './value-counter.ts'

export type ValueType = 'integer' | 'number' | 'boolean' | 'date' | 'text'

const NULLS = new Set(['', 'null', 'na', 'n/a', '#n/a', 'nan', 'none', 'nil', '\\n', '空'])
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const GROUPED = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/
const DATE = /^\d{4}([-/.年])\d{1,2}(?:[-/.月])\d{1,2}日?(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?(?:Z|[+-]\d{2}:?\d{2}))?)?$/
const BOOLEAN = /^(?:true|false|yes|no|是|否)$/i
/** Longer values count by their beginning. */
const VALUE_LIMIT = 200

export function isNull(value: string): boolean {
  return value.length <= 4 && NULLS.has(value.trim().toLowerCase())
}

/** Type and, for numbers, the value. A leading zero (postcodes, phone numbers) makes it text. */
export function classify(value: string): { type: ValueType; number?: number } {
  const trimmed = value.trim()
  const first = trimmed.charCodeAt(0)
  const mayBeNumber = (first >= 48 && first <= 57) || first === 45 || first === 43 || first === 46
  if (mayBeNumber) {
    if (NUMBER.test(trimmed)) {
      if (/^[+-]?0\d/.test(trimmed)) return { type: 'text' }
      return { type: /^[+-]?\d+$/.test(trimmed) ? 'integer' : 'number', number: Number(trimmed) }
    }
    if (GROUPED.test(trimmed)) return { type: trimmed.includes('.') ? 'number' : 'integer', number: Number(trimmed.replaceAll(',', '')) }
    if (DATE.test(trimmed)) return { type: 'date' }
    return { type: 'text' }
  }
  return { type: trimmed.length <= 5 && BOOLEAN.test(trimmed) ? 'boolean' : 'text' }
}

export class ColumnStatistics {
  readonly name: string
  count = 0
  nulls = 0
  readonly types: Record<ValueType, number> = { integer: 0, number: 0, boolean: 0, date: 0, text: 0 }
  readonly values: ValueCounter
  readonly digest = new QuantileDigest()
  numbers = 0
  sum = 0
  mean = 0
  /** Sum of squared distances from the mean (Welford). */
  squares = 0
  min = Infinity
  max = -Infinity
  firstText: string | undefined
  lastText: string | undefined
  shortest = Infinity
  longest = 0

  constructor(name: string, capacity: number) {
    this.name = name
    this.values = new ValueCounter(capacity)
  }

  add(value: string): void {
    this.count++
    if (isNull(value)) {
      this.nulls++
      return
    }
    const { type, number } = classify(value)
    this.types[type]++
    this.values.add(value.length > VALUE_LIMIT ? `${value.slice(0, VALUE_LIMIT)}…` : value)
    if (number !== undefined) return this.addNumber(number)
    if (value.length < this.shortest) this.shortest = value.length
    if (value.length > this.longest) this.longest = value.length
    if (this.firstText === undefined || value < this.firstText) this.firstText = value.slice(0, VALUE_LIMIT)
    if (this.lastText === undefined || value > this.lastText) this.lastText = value.slice(0, VALUE_LIMIT)
  }

  private addNumber(number: number): void {
    this.numbers++
    this.sum += number
    const distance = number - this.mean
    this.mean += distance / this.numbers
    this.squares += distance * (number - this.mean)
    if (number < this.min) this.min = number
    if (number > this.max) this.max = number
    this.digest.add(number)
  }
}
