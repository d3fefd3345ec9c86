import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { classifyFault } from '../database-errors.ts'

/** As much as a database needs for its shared memory and a first page. */
const PROBE_BYTES = 64 * 1024

/** Why a folder cannot be written; undefined when it can. SQLite calls all of it an i/o error at times. */
export function writingFault(folder: string): 'full' | 'read_only' | undefined {
  const file = join(folder, `probe-${process.pid}.tmp`)
  try {
    writeFileSync(file, Buffer.alloc(PROBE_BYTES), { flag: 'wx', mode: 0o600 })
    return undefined
  } catch (error) {
    const fault = classifyFault(error)
    if (fault === 'full' || fault === 'read_only') return fault
    throw error
  } finally {
    rmSync(file, { force: true })
  }
}
