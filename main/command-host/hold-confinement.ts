/** What is set up before a sandboxed command starts and taken away when it has ended. */
import { lstatSync } from 'node:fs'
import { mkdir, readlink, rename, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Confinement } from '#contracts/tools/command-host-protocol.ts'
import type { OrphanGuard } from './orphan-guard.ts'
import type { StandIns } from './stand-ins.ts'

export interface HeldConfinement {
  /** @returns protected names that had been changed and are as before. Never rejects. */
  release(): Promise<string[]>
}

export interface ConfinementPlace {
  readonly standIns: StandIns
  readonly guard: OrphanGuard
}

/** @throws with the system's code when a stand-in cannot be made. */
export function holdConfinement(confinement: Confinement, place: ConfinementPlace): HeldConfinement {
  const { standIns, guard } = place
  // A trial holds nothing: the guard has nothing to look for in its folder.
  if (confinement.standIns.length + confinement.unwanted.length > 0) guard.commandHeld(confinement.root, confinement.unwanted)
  try {
    standIns.take(confinement.standIns)
  } catch (error) {
    guard.commandReleased(confinement.unwanted)
    throw error
  }
  return {
    release: async () => {
      try {
        standIns.release(confinement.standIns)
        return [...(await restoreLinks(confinement)), ...(await removeUnwanted(confinement))]
      } catch (error) {
        process.stderr.write(`metona command host: clearing up in ${confinement.root}: ${(error as Error).message}\n`)
        return []
      } finally {
        guard.commandReleased(confinement.unwanted)
      }
    },
  }
}

async function restoreLinks({ root, links }: Confinement): Promise<string[]> {
  const restored: string[] = []
  for (const { path, target } of links) {
    const now = await readlink(path).catch(() => undefined)
    if (now === target) continue
    await setAside(root, path)
    await symlink(target, path)
    restored.push(path)
  }
  return restored
}

async function removeUnwanted({ root, unwanted }: Confinement): Promise<string[]> {
  const removed: string[] = []
  for (const path of unwanted) if (await setAside(root, path)) removed.push(path)
  return removed
}

/** Not deleted: it may be the person's, changed while the command ran. @returns false when there is nothing. */
async function setAside(root: string, path: string): Promise<boolean> {
  const folder = join(root, '.metona', 'set-aside')
  const mark = process.hrtime.bigint()
  // As a rule there is nothing, and the end of a command waits for the answer.
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return false
  try {
    // While another command is held, a stand-in may be where the folder would be.
    const made = await mkdir(folder, { recursive: true }).then(
      () => true,
      () => false,
    )
    await rename(path, made ? join(folder, `${basename(path)}-${mark}`) : `${path}-set-aside-${mark}`)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
