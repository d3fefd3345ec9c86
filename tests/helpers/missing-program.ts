/** For suites that need a program of the system: skipped loudly where it is missing, failed in CI, which installs it. */
import { accessSync, constants } from 'node:fs'
import path from 'node:path'

/** @returns true where the suite must be skipped. @throws under `CI=true`. */
export function missingProgram(name: string, suite: string): boolean {
  const found = (process.env['PATH'] ?? '').split(path.delimiter).some((folder) => isExecutable(path.join(folder, name)))
  if (found) return false
  process.stderr.write(`not run: ${suite} (${name} is not installed)\n`)
  if (process.env['CI'] === 'true') throw new Error(`${name} is needed for: ${suite}`)
  return true
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
