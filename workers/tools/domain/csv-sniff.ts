/** From the beginning of a file: which delimiter, and is the first record a header. */
import { classify, isNull } from './csv-column.ts'
import { createCsvReader } from './csv-records.ts'

const CANDIDATES = [',', ';', '\t', '|'] as const
const SNIFF_RECORDS = 50

/** `sample` may end inside a record; the last one is not judged when others are there. */
export function sniffDelimiter(sample: string): string {
  let best = { delimiter: ',', score: 0 }
  for (const delimiter of CANDIDATES) {
    const widths = recordsOf(sample, delimiter).map((record) => record.length)
    const judged = widths.length > 1 ? widths.slice(0, -1) : widths
    const width = mode(judged)
    if (width < 2) continue
    const agreement = judged.filter((one) => one === width).length / judged.length
    const score = agreement * agreement * (1 + Math.min(width, 50) / 100)
    if (score > best.score) best = { delimiter, score }
  }
  return best.delimiter
}

/** A header names columns: no numbers or dates where the records below have the same. Years as names are names. */
export function hasHeader(first: readonly string[], second: readonly string[] | undefined): boolean {
  if (first.every(isNull)) return false
  const kinds = first.map((value) => (isNull(value) ? 'null' : classify(value).type))
  if (kinds.every((kind) => kind === 'text' || kind === 'boolean' || kind === 'null')) return true
  if (second === undefined) return kinds.some((kind) => kind === 'text')
  const years = first.filter((_value, index) => kinds[index] === 'integer')
  if (
    kinds.every((kind) => kind !== 'number' && kind !== 'date') &&
    years.every((value) => /^(19|20)\d\d$/.test(value.trim())) &&
    new Set(years).size === years.length &&
    kinds.includes('text')
  )
    return true
  return !first.some(
    (value, index) => !isNull(value) && classify(value).type !== 'text' && isNumeric(value) === isNumeric(second[index] ?? ''),
  )
}

function isNumeric(value: string): boolean {
  return classify(value).number !== undefined
}

function recordsOf(sample: string, delimiter: string): string[][] {
  const records: string[][] = []
  const reader = createCsvReader(delimiter, (fields) => void (records.length < SNIFF_RECORDS && records.push([...fields])))
  reader.write(sample)
  reader.end()
  return records
}

function mode(numbers: readonly number[]): number {
  const counts = new Map<number, number>()
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1)
  return [...counts].sort((left, right) => right[1] - left[1] || right[0] - left[0])[0]?.[0] ?? 0
}
