import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

const SCRATCH_MS = 86_400_000

/** Programs that were killed leave theirs behind. */
export function removeOldScratch(folder: string): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat !== undefined && Date.now() - stat.mtimeMs > SCRATCH_MS) rmSync(path, { recursive: true, force: true })
  }
}
