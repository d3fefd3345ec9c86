import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import iconv from 'iconv-lite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { proof } from '#tests/helpers/proof.ts'
import type { CsvReport } from '#workers/tools/csv/csv-types.ts'
import { createToolBench, type RunAnswer, type ToolBench } from './tool-bench.ts'

let bench: ToolBench
beforeEach(async () => {
  bench = await createToolBench()
})
afterEach(() => bench.close())

const report = (answer: RunAnswer): CsvReport => answer.result.result as CsvReport
async function analyse(content: string | Uint8Array): Promise<CsvReport> {
  await bench.file('data.csv', content)
  const answer = await bench.call('analyze_csv', { file_path: 'data.csv' })
  expect(answer.result.success, answer.result.summary).toBe(true)
  return report(answer)
}
const shape = (found: CsvReport): unknown => ({
  rows: found.rows,
  columns: found.columns.map((column) => column.name),
  delimiter: found.delimiter,
  encoding: found.encoding,
  header: found.header,
})

test('GBK with a Chinese header', async () => {
  const rows = Array.from({ length: 17 }, (_, index) => `员工${index},${20 + index},城市${index % 3}`)
  const found = await analyse(iconv.encode(`姓名,年龄,城市\n${rows.join('\n')}\n`, 'gbk'))
  expect(shape(found)).toEqual({ rows: 17, columns: ['姓名', '年龄', '城市'], delimiter: ',', encoding: 'gbk', header: true })
  expect(found.columns[1]).toMatchObject({
    type: 'integer',
    nulls: 0,
    numbers: { min: 20, max: 36, mean: 28, sum: 476, quantiles: { p50: 28 }, quantilesExact: true },
  })
  expect(found.columns[2]).toMatchObject({
    type: 'text',
    distinct: { count: 3, atLeast: false },
    top: [
      { value: '城市0', count: 6 },
      { value: '城市1', count: 6 },
      { value: '城市2', count: 5 },
    ],
  })
})

describe('shapes', () => {
  test.each<[string, string | Uint8Array, unknown]>([
    ['semicolons', 'a;b\n1;2\n3;4\n', { rows: 2, columns: ['a', 'b'], delimiter: ';', encoding: 'utf-8', header: true }],
    ['tabs', 'a\tb\n1\t2\n', { rows: 1, columns: ['a', 'b'], delimiter: '\t', encoding: 'utf-8', header: true }],
    ['byte order mark and CRLF', '\ufeffa,b\r\n1,2\r\n', { rows: 1, columns: ['a', 'b'], delimiter: ',', encoding: 'utf-8', header: true }],
    [
      'UTF-16',
      iconv.encode('a,b\n1,2\n', 'utf-16le', { addBOM: true }),
      { rows: 1, columns: ['a', 'b'], delimiter: ',', encoding: 'utf-16le', header: true },
    ],
    ['header only', 'a,b,c\n', { rows: 0, columns: ['a', 'b', 'c'], delimiter: ',', encoding: 'utf-8', header: true }],
    ['header without a line end', 'a,b,c', { rows: 0, columns: ['a', 'b', 'c'], delimiter: ',', encoding: 'utf-8', header: true }],
    ['empty', '', { rows: 0, columns: [], delimiter: ',', encoding: 'utf-8', header: false }],
    ['one column', 'name\nx\ny\n', { rows: 2, columns: ['name'], delimiter: ',', encoding: 'utf-8', header: true }],
    ['no header', '1,2\n3,4\n', { rows: 2, columns: ['column_1', 'column_2'], delimiter: ',', encoding: 'utf-8', header: false }],
    [
      'years as names',
      'country,2020,2021\nCN,1.5,2.5\n',
      { rows: 1, columns: ['country', '2020', '2021'], delimiter: ',', encoding: 'utf-8', header: true },
    ],
    [
      'names twice and unnamed',
      'a,a,\n1,2,3\n',
      { rows: 1, columns: ['a', 'a_2', 'column_3'], delimiter: ',', encoding: 'utf-8', header: true },
    ],
    [
      'line feeds and quotes inside quotes',
      'a,b\n"x\ny","say ""hi"", ok"\n',
      { rows: 1, columns: ['a', 'b'], delimiter: ',', encoding: 'utf-8', header: true },
    ],
    ['CR alone', 'a,b\r1,2\r3,4\r', { rows: 2, columns: ['a', 'b'], delimiter: ',', encoding: 'utf-8', header: true }],
    ['blank lines', 'a,b\n\n1,2\n\n\n3,4\n\n', { rows: 2, columns: ['a', 'b'], delimiter: ',', encoding: 'utf-8', header: true }],
    [
      'text with commas separated by bars',
      'a|b\nx, y|1,5\nz, w|2,5\n',
      { rows: 2, columns: ['a', 'b'], delimiter: '|', encoding: 'utf-8', header: true },
    ],
  ])('%s', async (_name, content, expected) => {
    expect(shape(await analyse(content))).toEqual(expected)
  })
})

test('types, missing values and texts', async () => {
  const found = await analyse(
    'id,score,ok,day,zip,note\n1,1.5,true,2026-01-02,01234,x\n2,NA,false,2026-01-01,00501,\n3,2.5,true,2026-02-01,99999,yy\n',
  )
  expect(found.columns.map((column) => [column.name, column.type, column.nulls])).toEqual([
    ['id', 'integer', 0],
    ['score', 'number', 1],
    ['ok', 'boolean', 0],
    ['day', 'date', 0],
    ['zip', 'mixed', 0],
    ['note', 'text', 1],
  ])
  expect(found.columns[3]?.texts).toMatchObject({ min: '2026-01-01', max: '2026-02-01' })
})

test('ragged rows and a quote that is never closed are said', async () => {
  const ragged = await analyse('a,b\n1,2\n3\n4,5,6\n')
  expect(ragged.ragged).toEqual({ count: 2, firstLine: 3 })
  const open = await analyse('a,b\n1,"never closed\n2,3\n4,5\n')
  expect(open.unclosedQuoteLine).toBe(2)
})

test('a picture is refused with a sentence', async () => {
  await bench.file('data.csv', Buffer.from('\u0089PNG\r\n\u001a\n\0\0\0', 'latin1'))
  expect((await bench.call('analyze_csv', { file_path: 'data.csv' })).result.summary).toMatch(/not text, so it is no CSV/)
})

test('a stop ends the analysis', async () => {
  await bench.file('data.csv', `a,b\n${'1,2\n'.repeat(4_000_000)}`)
  const controller = new AbortController()
  const running = bench.call('analyze_csv', { file_path: 'data.csv' }, { signal: controller.signal, onLive: () => controller.abort() })
  expect((await running).outcome).toBe('aborted')
  expect((await bench.call('read_file', { file_path: 'data.csv', limit: 1 })).result.success).toBe(true)
})

/** Figures are added up while the file is written, so nothing of the analysis is used for what it should find. */
async function writeBigCsv(
  path: string,
  bytes: number,
): Promise<{ rows: number; sum: number; min: number; max: number; nulls: number; cities: Map<string, number>; values: Float64Array }> {
  const file = createWriteStream(path)
  const cities = ['北京', '上海', '"广州, 天河"', 'Shenzhen']
  const counts = new Map<string, number>()
  const values = new Float64Array(40_000_000)
  let [rows, sum, min, max, nulls, written, seed] = [0, 0, Infinity, -Infinity, 0, 0, 42]
  const random = (): number => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 4294967296
  file.write('id,amount,city,remark\r\n')
  while (written < bytes) {
    let text = ''
    for (let line = 0; line < 5000; line++) {
      const missing = random() < 0.01
      const amount = Math.round(random() * random() * 1_000_000) / 100
      const city = cities[Math.floor(random() * random() * 4)] as string
      if (missing) nulls++
      else {
        values[rows - nulls] = amount
        sum += amount
        min = Math.min(min, amount)
        max = Math.max(max, amount)
      }
      counts.set(city.replaceAll('"', ''), (counts.get(city.replaceAll('"', '')) ?? 0) + 1)
      text += `${rows},${missing ? '' : amount},${city},"note ""${rows}"" of this row\nsecond line"\r\n`
      rows++
    }
    written += Buffer.byteLength(text)
    if (!file.write(text)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
  return { rows, sum, min, max, nulls, cities: counts, values: values.subarray(0, rows - nulls) }
}

test('a big file: true figures, progress, bounded memory', { timeout: 600_000 }, async () => {
  const path = join(bench.workspace, 'big.csv')
  const truth = await writeBigCsv(path, proof(1024 ** 3, 40 * 1024 ** 2))
  const script = new URL('./analyze-in-a-process.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [script, bench.workspace], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  await once(child, 'close')
  const { report: found, progress, riseMiB } = JSON.parse(output) as { report: CsvReport; progress: number; riseMiB: number }
  process.stderr.write(`big csv: ${truth.rows} rows, ${progress} progress events, memory rose ${riseMiB.toFixed(0)} MiB\n`)
  expect(found.rows).toBe(truth.rows)
  const amount = found.columns[1]
  expect(amount?.nulls).toBe(truth.nulls)
  expect(amount?.numbers?.min).toBe(truth.min)
  expect(amount?.numbers?.max).toBe(truth.max)
  expect(Math.abs((amount?.numbers?.sum ?? 0) / truth.sum - 1)).toBeLessThan(1e-9)
  const sorted = truth.values.sort()
  for (const [share, value] of [
    [0.25, amount?.numbers?.quantiles.p25],
    [0.5, amount?.numbers?.quantiles.p50],
    [0.95, amount?.numbers?.quantiles.p95],
  ] as const) {
    const low = sorted[Math.floor((share - 0.01) * sorted.length)] as number
    const high = sorted[Math.floor((share + 0.01) * sorted.length)] as number
    expect(value).toBeGreaterThanOrEqual(low)
    expect(value).toBeLessThanOrEqual(high)
  }
  expect(found.columns[2]?.top).toEqual(
    [...truth.cities].sort((left, right) => right[1] - left[1]).map(([value, count]) => ({ value, count })),
  )
  expect(found.columns[0]).toMatchObject({ type: 'integer', distinct: { atLeast: true } })
  expect(progress).toBeGreaterThan(0)
  expect(riseMiB).toBeLessThan(200)
})
