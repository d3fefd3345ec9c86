/**
 * Writes the table of README from results of the bench: `node tests/bench/readme-table.ts FILE.json …`. Of a row that is
 * in several files the last one counts. Only figures with a budget are in the table; a missed one stays there, with its cause.
 */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { causeOf, type JudgedFigure } from './gate.ts'
import { benchRows } from './rows/index.ts'

interface Judged {
  readonly row: string
  readonly foreignCores: number
  readonly figures: readonly JudgedFigure[]
}
interface Results {
  readonly machine: { readonly cores: number; readonly node: string }
  readonly size: 'short' | 'full'
  readonly results: readonly Judged[]
}

const START = '<!-- bench:start -->'
const END = '<!-- bench:end -->'

const found = new Map<string, Judged & { readonly size: string; readonly machine: Results['machine'] }>()
for (const file of process.argv.slice(2)) {
  const { results, size, machine } = JSON.parse(await readFile(file, 'utf8')) as Results
  for (const judged of results) found.set(judged.row, { ...judged, size, machine })
}
const readme = path.resolve(import.meta.dirname, '../../README.md')
const before = await readFile(readme, 'utf8')
const [head, rest] = before.split(START)
const tail = rest?.split(END)[1]
if (tail === undefined) throw new Error(`${readme} has no place for the table`)
await writeFile(readme, `${head}${START}\n${table()}\n${END}${tail}`)

function table(): string {
  const lines = ['| scenario | figure | measured | budget | |', '| --- | --- | --- | --- | --- |']
  for (const row of benchRows) {
    const judged = found.get(row.name)
    if (judged === undefined) continue
    let title = `${row.title}${judged.size === 'short' ? ' (short)' : ''}; others used ${judged.foreignCores.toFixed(1)} core`
    for (const group of groups(judged)) {
      lines.push(`| ${title} | ${group.name} | ${group.measured} | ${group.budget} | ${group.outcome} |`)
      title = ''
    }
  }
  return lines.join('\n')
}

/** Threads that share a budget are one line. */
function groups({ row, figures }: Judged): { name: string; measured: string; budget: string; outcome: string }[] {
  const together = Map.groupBy(
    figures.filter((figure) => figure.budget !== undefined),
    (figure) => (/^[a-z]+ (?:p99|max)$/.test(figure.name) ? `${figure.name.split(' ')[1] ?? ''} ${figure.budget ?? ''}` : figure.name),
  )
  return [...together.values()].map((same) => {
    const [first] = same
    if (first === undefined) throw new Error('an empty group')
    const values = same.map((figure) => figure.value)
    const unit = first.ratio === true ? '× floor' : first.unit
    const worst = same.find((figure) => figure.verdict === 'missed') ?? first
    const cause = causeOf(row, worst)
    return {
      name:
        same.length === 1 ? first.name : `${same.map((figure) => figure.name.split(' ')[0]).join(', ')} ${first.name.split(' ')[1] ?? ''}`,
      measured: `${range(values)} ${unit}`.trim(),
      budget: `${first.atLeast === true ? '≥' : '≤'} ${first.budget ?? ''} ${unit}`.trim(),
      outcome: `${worst.verdict}${worst.verdict === 'missed' && cause !== undefined ? `: ${cause}` : ''}`,
    }
  })
}

function range(values: readonly number[]): string {
  const [low, high] = [short(Math.min(...values)), short(Math.max(...values))]
  return low === high ? low : `${low}-${high}`
}

function short(value: number): string {
  return value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(value < 10 ? 2 : 1)
}
