/** The test files of a suite, and which of them cannot run here. */
import { accessSync, constants, readFileSync, readdirSync, statSync } from 'node:fs'
import { delimiter, join, relative, sep } from 'node:path'
import type { Suite } from './suites.ts'

/** `// needs: chromium, bwrap, strace` anywhere in a test file names the programs without which it cannot run. */
const NEEDS = /^\/\/ needs: (.+)$/m

/** `// may skip: REASON` lets the tests of a file skip themselves where CI cannot have what they need. */
const MAY_SKIP = /^\/\/ may skip: .+$/m

export function maySkip(file: string): boolean {
  return MAY_SKIP.test(readFileSync(file, 'utf8'))
}

export interface FoundTests {
  readonly runnable: readonly string[]
  readonly notRunnable: readonly { readonly file: string; readonly missing: readonly string[] }[]
}

export function findTests(root: string, suite: Suite, isThere: (program: string) => boolean = isInPath): FoundTests {
  const files = suite.paths.flatMap((path) => testFilesIn(root, path)).filter((file) => !suite.exclude?.includes(file))
  const runnable: string[] = []
  const notRunnable: { file: string; missing: string[] }[] = []
  for (const file of files) {
    const needs =
      NEEDS.exec(readFileSync(join(root, file), 'utf8'))?.[1]
        ?.split(',')
        .map((name) => name.trim()) ?? []
    const missing = needs.filter((program) => !isThere(program))
    if (missing.length === 0) runnable.push(file)
    else notRunnable.push({ file, missing })
  }
  return { runnable, notRunnable }
}

function testFilesIn(root: string, path: string): string[] {
  const full = join(root, path)
  const state = statSync(full, { throwIfNoEntry: false })
  if (state === undefined) return []
  if (state.isFile()) return [path]
  return readdirSync(full, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
}

export function isInPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
