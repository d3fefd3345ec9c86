/** The bundles people start, built when their sources are newer. */
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'

const ROOT = path.resolve(import.meta.dirname, '..', '..')
let built: Promise<string> | undefined

/** @returns the folder of the bundles. */
export function builtBundles(): Promise<string> {
  built ??= promisify(execFile)(process.execPath, [path.join(ROOT, 'main', 'build', 'entry.ts'), '--quiet', '--no-page']).then(() =>
    path.join(ROOT, 'out'),
  )
  return built
}
