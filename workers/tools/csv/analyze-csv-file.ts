/** Runs in a pool thread: the whole file, chunk by chunk, in memory that does not grow with it. */
import { readSync } from 'node:fs'
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads'
import { ColumnStatistics } from '../domain/csv-column.ts'
import { createCsvReader } from '../domain/csv-records.ts'
import { hasHeader, sniffDelimiter } from '../domain/csv-sniff.ts'
import { detectEncoding } from '../domain/detect-encoding.ts'
import { createDecoder } from '../text/text-codec.ts'
import type { CsvColumn, CsvFailure, CsvInput, CsvReport } from './csv-types.ts'

const CHUNK = 512 * 1024
const SNIFF_BYTES = 64 * 1024
const PROGRESS_MS = 200
const MAX_COLUMNS = 2000
const SAMPLE_ROWS = 5
/** Different values held over all columns together. */
const VALUE_BUDGET = 200_000
const COLUMN_CAPACITY = 10_000
const TOP = 5

export async function analyzeCsvFile(input: CsvInput & { readonly port: MessagePort }): Promise<CsvReport | CsvFailure> {
  const chunk = Buffer.allocUnsafe(CHUNK)
  const first = readSync(input.fd, chunk, 0, CHUNK, 0)
  const sample = chunk.subarray(0, Math.min(first, SNIFF_BYTES))
  const detected = detectEncoding(sample, first < SNIFF_BYTES && first >= input.size)
  if (detected === 'binary') return { failure: 'binary', message: 'the file is not text' }
  const sniffer = await createDecoder(detected.encoding)
  const delimiter = sniffDelimiter(sniffer.write(sample.subarray(detected.bomLength)))

  const collector = new Collector()
  const reader = createCsvReader(delimiter, (fields, line) => collector.take(fields, line))
  const decoder = await createDecoder(detected.encoding)
  let position = 0
  let reported = performance.now()
  for (let length = first; length > 0; length = readSync(input.fd, chunk, 0, CHUNK, position)) {
    reader.write(decoder.write(chunk.subarray(position === 0 ? detected.bomLength : 0, length)))
    position += length
    if (collector.tooWide) return { failure: 'too_many_columns', message: `the first record has more than ${MAX_COLUMNS} fields` }
    if (receiveMessageOnPort(input.port) !== undefined) return { failure: 'stopped', message: 'stopped' }
    if (performance.now() - reported > PROGRESS_MS) {
      reported = performance.now()
      input.port.postMessage(position)
    }
  }
  reader.write(decoder.end())
  const unclosed = reader.openQuoteLine
  reader.end()
  collector.finish()
  const notes: string[] = []
  if (position < input.size) notes.push('The file became shorter while it was read; the figures are of what was there.')
  if (position > input.size) notes.push('The file grew while it was read; the figures include what was added until the end was reached.')
  return {
    rows: collector.rows,
    columns: collector.columns.map(describeColumn),
    header: collector.header,
    delimiter,
    encoding: detected.encoding,
    bom: detected.bomLength > 0,
    bytes: position,
    ragged: collector.ragged,
    ...(unclosed === undefined ? {} : { unclosedQuoteLine: unclosed }),
    sample: collector.sample,
    notes,
  }
}

/** Holds the first record back until the second shows whether it is a header. */
class Collector {
  columns: ColumnStatistics[] = []
  header = false
  rows = 0
  tooWide = false
  ragged: { count: number; firstLine?: number } = { count: 0 }
  readonly sample: string[][] = []
  private held: { fields: string[]; line: number } | undefined
  private begun = false

  take(fields: readonly string[], line: number): void {
    if (this.begun) return this.add(fields, line)
    if (this.held === undefined) {
      this.tooWide = fields.length > MAX_COLUMNS
      this.held = { fields: [...fields], line }
      return
    }
    this.begin(fields)
    this.add(fields, line)
  }

  finish(): void {
    if (!this.begun && this.held !== undefined) this.begin(undefined)
  }

  private begin(second: readonly string[] | undefined): void {
    this.begun = true
    const { fields, line } = this.held as { fields: string[]; line: number }
    this.header = hasHeader(fields, second)
    const capacity = Math.max(50, Math.min(COLUMN_CAPACITY, Math.floor(VALUE_BUDGET / fields.length)))
    const taken = new Map<string, number>()
    this.columns = fields.map((field, index) => {
      const plain = this.header && field.trim() !== '' ? field.trim() : `column_${index + 1}`
      const times = (taken.get(plain) ?? 0) + 1
      taken.set(plain, times)
      return new ColumnStatistics(times === 1 ? plain : `${plain}_${times}`, capacity)
    })
    if (!this.header) this.add(fields, line)
  }

  private add(fields: readonly string[], line: number): void {
    this.rows++
    if (fields.length !== this.columns.length) {
      if (this.ragged.count === 0) this.ragged = { count: 0, firstLine: line }
      this.ragged.count++
    }
    for (let index = 0; index < this.columns.length; index++) this.columns[index]?.add(fields[index] ?? '')
    if (this.sample.length < SAMPLE_ROWS) this.sample.push(fields.map((field) => field.slice(0, 200)))
  }
}

function describeColumn(column: ColumnStatistics): CsvColumn {
  const present = column.count - column.nulls
  const kinds = Object.entries(column.types).filter(([, count]) => count > 0)
  const type = columnType(column, present)
  return {
    name: column.name,
    type,
    ...(type === 'mixed' ? { types: Object.fromEntries(kinds) } : {}),
    count: column.count,
    nulls: column.nulls,
    distinct: column.values.distinct(),
    ...(column.numbers === 0
      ? {}
      : {
          numbers: {
            min: column.min,
            max: column.max,
            mean: column.mean,
            sum: column.sum,
            standardDeviation: column.numbers < 2 ? 0 : Math.sqrt(column.squares / (column.numbers - 1)),
            quantiles: {
              p25: column.digest.quantile(0.25),
              p50: column.digest.quantile(0.5),
              p75: column.digest.quantile(0.75),
              p95: column.digest.quantile(0.95),
            },
            quantilesExact: column.digest.exact,
          },
        }),
    ...(column.firstText === undefined || column.lastText === undefined
      ? {}
      : { texts: { min: column.firstText, max: column.lastText, shortest: column.shortest, longest: column.longest } }),
    top: column.values.top(TOP),
    topExact: column.values.exact,
  }
}

function columnType(column: ColumnStatistics, present: number): CsvColumn['type'] {
  const { integer, number, boolean, date, text } = column.types
  if (present === 0) return 'empty'
  if (integer === present) return 'integer'
  if (integer + number === present) return 'number'
  if (boolean === present) return 'boolean'
  if (date === present) return 'date'
  return text / present > 0.9 ? 'text' : 'mixed'
}
