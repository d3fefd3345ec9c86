/** The static checks: types, lint, format, imports, what nobody uses. Each counts as one test. */
import { commandFile, runProgram } from './run-program.ts'
import type { Counts } from './read-report.ts'

interface Check {
  readonly name: string
  readonly packageName: string
  readonly command?: string
  readonly commandLine: readonly string[]
}

const types = (project: string): Check => ({
  name: `types ${project}`,
  packageName: 'typescript',
  command: 'tsc',
  // What was found last time is kept beside the bundles: only what changed since is looked at again.
  commandLine: [
    ...['--project', project, '--pretty', 'false'],
    ...['--incremental', '--tsBuildInfoFile', `out/types/${project.replaceAll('/', '-')}.tsbuildinfo`],
  ],
})

export const checks: readonly Check[] = [
  types('ipc-contracts'),
  types('main'),
  types('workers'),
  types('workers/tsconfig.domain.json'),
  types('tests'),
  types('tests/e2e'),
  { ...types('tests/renderer'), packageName: 'vue-tsc', command: 'vue-tsc' },
  { ...types('renderer'), packageName: 'vue-tsc', command: 'vue-tsc' },
  types('renderer/tsconfig.node.json'),
  { name: 'lint', packageName: 'oxlint', commandLine: ['--deny-warnings'] },
  { name: 'format', packageName: 'oxfmt', commandLine: ['--check'] },
  {
    name: 'imports',
    packageName: 'dependency-cruiser',
    command: 'depcruise',
    commandLine: [
      '--config',
      'tests/architecture/import-rules.cjs',
      '--output-type',
      'err-long',
      'ipc-contracts',
      'main',
      'workers',
      'renderer',
    ],
  },
  { name: 'unused', packageName: 'knip', commandLine: ['--directory', '.', '--config', 'tests/architecture/knip.json', '--no-progress'] },
]

export async function runChecks(root: string, print: (line: string) => void): Promise<Counts> {
  let passed = 0
  let failed = 0
  for (const check of checks) {
    const file = commandFile(root, check.packageName, check.command)
    const end = await runProgram(file, check.commandLine, { root, limitMinutes: 5, quiet: true })
    if (end.code === 0) passed++
    else failed++
    print(`${end.code === 0 ? 'ok    ' : 'FAILED'} ${check.name}`)
    if (end.code !== 0) print(end.timedOut ? 'took more than 5 minutes' : firstLines(end.output))
  }
  return { passed, failed, skipped: [] }
}

const MOST_LINES = 80

function firstLines(output: string): string {
  const lines = output.trimEnd().split('\n')
  return lines.length <= MOST_LINES
    ? lines.join('\n')
    : [...lines.slice(0, MOST_LINES), `… ${lines.length - MOST_LINES} more lines`].join('\n')
}
