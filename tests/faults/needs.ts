/** Suites whose tools are missing say so, and fail only where everything must be there (`CI=true`). */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'

export function hasProgram(name: string): boolean {
  return spawnSync(name, ['--version'], { stdio: 'ignore' }).error === undefined
}

/** Whether a tmpfs may be mounted here (root with the right to). */
export function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const folder = mkdtempSync(join(tmpdir(), 'metona-mount-'))
  try {
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]).status !== 0) return false
    return spawnSync('umount', [folder]).status === 0
  } finally {
    rmdirSync(folder)
  }
}

/** `describe` when `available`; else one test that says what is missing. `always`: fails under CI=true. */
export function describeWith(available: boolean, missing: string, always: boolean, name: string, suite: () => void): void {
  if (available) {
    describe(name, suite)
    return
  }
  if (always && process.env.CI === 'true') {
    describe(name, () => {
      it(`needs ${missing}`, () => {
        throw new Error(`${missing} is missing`)
      })
    })
    return
  }
  process.stdout.write(`not run: ${name} (${missing} is missing)\n`)
  describe.skip(name, suite)
}
