/**
 * All tests: `npm test [-- SUITE or tests/PATH …]`, and `npm run check` for the static checks alone. Builds the bundles once, runs
 * suite after suite, and ends with the minutes per suite and, as the very last line, `N passed, N failed`.
 * What cannot run here is named as `not run: …`; under `CI=true` that is a failure, unless the file says `// may skip:`.
 */
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buildAll } from '#main/build/build-all.ts'
import { proofTier } from '#tests/helpers/proof.ts'
import { runChecks } from './runner/checks.ts'
import { findTests, maySkip } from './runner/find-tests.ts'
import { readReport, type Counts } from './runner/read-report.ts'
import { commandFile, runProgram } from './runner/run-program.ts'
import { suites, type Suite } from './runner/suites.ts'

const root = join(import.meta.dirname, '..')
const isCi = process.env['CI'] === 'true'
const NOTHING: Counts = { passed: 0, failed: 0, skipped: [] }

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function runSuite(suite: Suite): Promise<Counts> {
  const { runnable, notRunnable } = findTests(root, suite)
  for (const { file, missing } of notRunnable) print(`not run: ${file} (${missing.join(', ')} not found)`)
  const absent = isCi ? notRunnable.length : 0
  if (runnable.length === 0) return { ...NOTHING, failed: absent }
  const report = join(root, 'out', 'test-results', `${suite.name}.json`)
  await rm(report, { force: true })
  await mkdir(join(root, 'out', 'test-results'), { recursive: true })
  const commandLine = [
    'run',
    ...runnable,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    `--maxWorkers=${suite.atOnce}`,
  ]
  const env = { METONA_BUILD: 'never' }
  const end = await runProgram(commandFile(root, 'vitest'), commandLine, { root, env, limitMinutes: suite.limitMinutes, quiet: false })
  if (end.timedOut) print(`${suite.name}: more than ${suite.limitMinutes} minutes, ended`)
  const counts = await readCounts(report)
  for (const { name } of counts.skipped) print(`not run: ${name} (skipped)`)
  // An error outside every test makes vitest fail with a report that looks clean.
  const unseen = end.code !== 0 && counts.failed === 0 ? 1 : 0
  return { ...counts, failed: counts.failed + absent + unseen + (isCi ? counts.skipped.filter(({ file }) => !maySkip(file)).length : 0) }
}

async function readCounts(report: string): Promise<Counts> {
  try {
    return readReport(await readFile(report, 'utf8'))
  } catch (error) {
    print(`no report: ${String(error)}`)
    return NOTHING
  }
}

async function build(): Promise<Counts> {
  try {
    await buildAll({ report: print })
    return NOTHING
  } catch (error) {
    print(error instanceof Error ? (error.stack ?? error.message) : String(error))
    return { ...NOTHING, failed: 1 }
  }
}

/** The short rows, against their budgets. */
async function bench(): Promise<Counts> {
  const report = join(root, 'out', 'test-results', 'bench.json')
  await mkdir(join(root, 'out', 'test-results'), { recursive: true })
  const commandLine = ['--short', '--gate', '--json', report]
  const env = { METONA_BUILD: 'never' }
  const end = await runProgram(join(root, 'tests', 'bench', 'entry.ts'), commandLine, { root, env, limitMinutes: 20, quiet: true })
  print(end.output.trimEnd())
  const line = /^bench: (\d+) passed, (\d+) failed$/m.exec(end.output)
  if (line === null) return { ...NOTHING, failed: 1 }
  return { passed: Number(line[1]), failed: Math.max(Number(line[2]), end.code === 0 ? 0 : 1), skipped: [] }
}

interface Step {
  readonly name: string
  readonly run: () => Promise<Counts>
}

function stepsFor(chosen: readonly string[]): Step[] {
  const steps: Step[] = [
    { name: 'check', run: () => runChecks(root, print) },
    ...suites.map((suite) => ({ name: suite.name, run: () => runSuite(suite) })),
    { name: 'bench', run: bench },
  ]
  const paths = chosen.filter((name) => name.startsWith('tests/'))
  if (paths.length > 0) steps.push({ name: 'chosen', run: () => runSuite({ name: 'chosen', paths, atOnce: 2, limitMinutes: 30 }) })
  const unknown = chosen.filter((name) => !name.startsWith('tests/') && !steps.some((step) => step.name === name))
  if (unknown.length > 0) throw new Error(`no suite ${unknown.join(', ')}; there are ${steps.map((step) => step.name).join(' ')}`)
  const wanted = steps.filter((step) => chosen.length === 0 || chosen.includes(step.name) || step.name === 'chosen')
  return wanted.some((step) => step.name !== 'check') ? [{ name: 'build', run: build }, ...wanted] : wanted
}

function chosenSteps(): Step[] {
  try {
    return stepsFor(process.argv.slice(2))
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(2)
  }
}

const steps = chosenSteps()
const table: string[] = []
let passed = 0
let failed = 0
print(`proof tier: ${proofTier()}`)
for (const step of steps) {
  print(`\n== ${step.name}`)
  const start = performance.now()
  const counts = await step.run()
  passed += counts.passed
  failed += counts.failed
  const minutes = ((performance.now() - start) / 60_000).toFixed(1).padStart(5)
  table.push(
    `${minutes} min  ${step.name.padEnd(14)} ${counts.passed} passed, ${counts.failed} failed${counts.skipped.length > 0 ? `, ${counts.skipped.length} not run` : ''}`,
  )
}
print(`\n${table.join('\n')}`)
print(`${passed} passed, ${failed} failed`)
// `exit`, not `exitCode`: something a broken test left open must not keep the run from ending.
process.exit(failed > 0 || passed === 0 ? 1 : 0)
