/**
 * The bench: `npm run bench [-- ROW …] [--short] [--pairs N] [--json FILE] [--gate]`.
 * With `--gate` a budget missed twice in a row ends with exit code 1; without it everything is only reported.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { judge, valueOf, type BenchContext, type BenchRow } from './bench-row.ts'
import { causeOf, deadEntries, unexplainedMisses, type JudgedFigure } from './gate.ts'
import { benchRows } from './rows/index.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    pairs: { type: 'string' },
    json: { type: 'string' },
    gate: { type: 'boolean', default: false },
  },
})
const root = path.resolve(import.meta.dirname, '../..')
const folders: string[] = []
const context: BenchContext = {
  size: values.short ? 'short' : 'full',
  pairs: Number(values.pairs ?? (values.short ? 2 : 5)),
  node: process.execPath,
  metona: path.join(root, 'main', 'cli', 'metona.cjs'),
  root,
  scratch: async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'metona-bench-'))
    folders.push(folder)
    return folder
  },
}

interface Judged {
  readonly row: string
  readonly foreignCores: number
  readonly figures: JudgedFigure[]
  readonly raw: unknown
}

const missed = (judged: Judged): string[] => unexplainedMisses(judged.row, judged.figures)
const chosen = benchRows.filter((row) => (positionals.length === 0 ? !(values.short && row.slow === true) : positionals.includes(row.name)))
const results: Judged[] = []
let failed = 0
let passed = 0
try {
  for (const row of chosen) {
    let judged = await measure(row)
    if (values.gate && missed(judged).length > 0) {
      print(judged)
      process.stdout.write(`${row.name}: missed once, measured again\n`)
      const again = await measure(row)
      const twice = missed(again).filter((name) => missed(judged).includes(name))
      judged = again
      if (twice.length > 0) failed += 1
      else passed += 1
    } else passed += 1
    for (const name of deadEntries(row.name, judged.figures)) {
      process.stdout.write(`${row.name}: known-misses.ts speaks of “${name}”, and there is no such figure\n`)
      failed += 1
    }
    results.push(judged)
    print(judged)
  }
} finally {
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })))
}
if (values.json !== undefined)
  await writeFile(
    values.json,
    JSON.stringify(
      { machine: { cores: os.availableParallelism(), node: process.version }, size: context.size, pairs: context.pairs, results },
      null,
      1,
    ),
  )
process.stdout.write(`bench: ${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1

async function measure(row: BenchRow): Promise<Judged> {
  const { figures, foreignCores, raw } = await row.run(context)
  return {
    row: row.name,
    foreignCores,
    raw,
    figures: figures.map((figure) => ({ ...figure, value: valueOf(figure), verdict: judge(figure, foreignCores) })),
  }
}

function print(judged: Judged): void {
  process.stdout.write(`${judged.row}  (others used ${judged.foreignCores.toFixed(2)} core)\n`)
  for (const figure of judged.figures) {
    const floor = figure.floor === undefined ? '' : `, floor ${round(figure.floor)} ${figure.unit}`
    const budget =
      figure.budget === undefined
        ? ''
        : `, budget ${figure.atLeast === true ? '≥' : '≤'} ${figure.budget}${figure.ratio === true ? ' × floor' : ` ${figure.unit}`}`
    const known = figure.verdict === 'missed' ? causeOf(judged.row, figure) : undefined
    const cause = known === undefined ? '' : ` (known: ${known})`
    const ratio = figure.ratio === true ? ` = ${figure.value.toFixed(2)} ×` : ''
    process.stdout.write(`  ${figure.name}: ${round(figure.ours)} ${figure.unit}${floor}${ratio}${budget}: ${figure.verdict}${cause}\n`)
  }
}

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2)
}
