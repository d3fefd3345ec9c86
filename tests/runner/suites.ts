/** The suites, in the order in which they run: what is quick and finds most comes first. */

export interface Suite {
  readonly name: string
  /** Folders and files with tests, relative to the repository. */
  readonly paths: readonly string[]
  readonly exclude?: readonly string[]
  /** Test files at once. Suites that start whole apps run one file after the other, so that they do not starve each other. */
  readonly atOnce: number
  /** A suite that takes longer hangs. */
  readonly limitMinutes: number
}

export const suites: readonly Suite[] = [
  { name: 'architecture', paths: ['tests/architecture'], atOnce: 2, limitMinutes: 10 },
  {
    name: 'unit',
    paths: ['tests/helpers', 'tests/runner', 'tests/bench', 'tests/ipc-contracts', 'tests/main', 'tests/workers', 'tests/renderer'],
    atOnce: 2,
    limitMinutes: 20,
  },
  { name: 'integration', paths: ['tests/integration'], exclude: ['tests/integration/fresh-machine.test.ts'], atOnce: 1, limitMinutes: 20 },
  { name: 'faults', paths: ['tests/faults'], atOnce: 1, limitMinutes: 20 },
  { name: 'e2e', paths: ['tests/e2e'], atOnce: 1, limitMinutes: 20 },
  { name: 'fresh-machine', paths: ['tests/integration/fresh-machine.test.ts'], atOnce: 1, limitMinutes: 20 },
]
