/** analyze_csv: figures of a CSV file of any size, in one pass. */
import * as z from 'zod'
import type { CsvColumn, CsvReport } from '../csv/csv-types.ts'
import { ToolError } from '../domain/tool-error.ts'
import { defineTool } from '../define-tool.ts'
import { openForReading, openPath } from '../files/open-path.ts'
import { prepareReading, requirePermitted } from './path-preparation.ts'

const SUMMARY_COLUMNS = 60

export const analyzeCsvTool = defineTool({
  name: 'analyze_csv',
  description:
    'Analyses a CSV, TSV or similar file of any size: number of rows and, per column, type, missing values, minimum, maximum, mean, quantiles and the most frequent values. Delimiter, quoting, encoding (also GBK) and header are recognised. Use it instead of reading a large table.',
  input: z.strictObject({ file_path: z.string().min(1).describe('Path of the file, relative to the workspace or absolute') }),
  risk: 'read',
  parallel: true,
  prepare: (input, context) => prepareReading(context, input.file_path, 'Analyse'),
  run: async (input, context) => {
    const path = await openPath(context.place.workspace, input.file_path)
    try {
      requirePermitted(context, path, input.file_path)
      const handle = await openForReading(path, input.file_path)
      try {
        const { size } = await handle.stat()
        const report = await context.services.pool.analyzeCsv({ fd: handle.fd, size }, context.signal, (done) =>
          context.live({ progress: { done, total: size, unit: 'bytes' } }),
        )
        if ('failure' in report) throw explainFailure(report.failure, report.message, input.file_path)
        return {
          result: report,
          summary: summarize(input.file_path, report),
          display: {
            kind: 'table',
            path: path.segments.join('/') || path.realPath,
            rows: report.rows,
            columns: report.columns.map((column) => ({ name: column.name, type: column.type, nulls: column.nulls })),
            sample: report.sample,
          },
        }
      } finally {
        await handle.close()
      }
    } finally {
      await path.close()
    }
  },
})

function explainFailure(failure: 'binary' | 'stopped' | 'too_many_columns', message: string, requested: string): ToolError {
  switch (failure) {
    case 'binary':
      return new ToolError(
        'BINARY_FILE',
        `${requested} is not text, so it is no CSV file. If it is a spreadsheet, ask for it exported as CSV.`,
      )
    case 'stopped':
      return new ToolError('STOPPED', 'The analysis was stopped.')
    case 'too_many_columns':
      return new ToolError('NOT_A_TABLE', `${requested} does not look like a table: ${message}.`)
  }
}

/** In words, for the model; the figures themselves are in the result. */
function summarize(requested: string, report: CsvReport): string {
  const names = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'vertical bar' }[report.delimiter] ?? report.delimiter
  if (report.columns.length === 0) return `${requested} is empty: no header, no rows.`
  const lines = [
    `${requested}: ${report.rows} rows, ${report.columns.length} columns: ${report.columns
      .slice(0, SUMMARY_COLUMNS)
      .map((column) => column.name)
      .join(', ')}${report.columns.length > SUMMARY_COLUMNS ? ', …' : ''}`,
  ]
  lines.push(
    `Format: ${names} separated, ${report.encoding.toUpperCase()}${report.bom ? ' with byte order mark' : ''}, ${report.header ? 'with a header line' : 'without a header line (columns are numbered)'}, ${report.bytes} bytes.`,
  )
  if (report.rows === 0) lines.push('There is only the header; no rows.')
  if (report.ragged.count > 0)
    lines.push(
      `Warning: ${report.ragged.count} rows have another number of fields than the header, the first on line ${report.ragged.firstLine}.`,
    )
  if (report.unclosedQuoteLine !== undefined)
    lines.push(`Warning: a quote opened on line ${report.unclosedQuoteLine} is never closed; what follows it may be counted as one field.`)
  lines.push(...report.notes)
  if (report.rows > 0) for (const column of report.columns.slice(0, SUMMARY_COLUMNS)) lines.push(`- ${describeColumn(column)}`)
  return lines.join('\n')
}

function describeColumn(column: CsvColumn): string {
  const parts = [
    column.type === 'mixed'
      ? `mixed (${Object.entries(column.types ?? {})
          .map(([type, count]) => `${type} ${count}`)
          .join(', ')})`
      : column.type,
  ]
  if (column.nulls > 0) parts.push(`${column.nulls} missing`)
  parts.push(`${column.distinct.atLeast ? 'at least ' : ''}${column.distinct.count} different`)
  if (column.numbers !== undefined) {
    const { min, max, mean, standardDeviation, quantiles, quantilesExact } = column.numbers
    parts.push(`min ${short(min)}, max ${short(max)}, mean ${short(mean)}, standard deviation ${short(standardDeviation)}`)
    parts.push(
      `quartiles ${short(quantiles.p25)} / ${short(quantiles.p50)} / ${short(quantiles.p75)}, 95 % ${short(quantiles.p95)}${quantilesExact ? '' : ' (approximate)'}`,
    )
  }
  if (column.texts !== undefined && column.type !== 'integer' && column.type !== 'number')
    parts.push(`from ${JSON.stringify(column.texts.min.slice(0, 40))} to ${JSON.stringify(column.texts.max.slice(0, 40))}`)
  if (column.top.length > 0 && (column.top[0]?.count ?? 0) > 1)
    parts.push(
      `most frequent${column.topExact ? '' : ' (approximate)'}: ${column.top.map((entry) => `${JSON.stringify(entry.value.slice(0, 40))} ${entry.count}`).join(', ')}`,
    )
  return `${column.name}: ${parts.join('; ')}`
}

function short(number: number): string {
  return Number.isInteger(number) ? String(number) : String(Number(number.toPrecision(6)))
}
