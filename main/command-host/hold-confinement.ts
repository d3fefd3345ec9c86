/** What is set up before a sandboxed command starts and taken away when it has ended. */
import { lstat, mkdir, open, readlink, rename, symlink, writeFile, type FileHandle } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Confinement } from '#contracts/tools/command-host-protocol.ts'
import type { OrphanGuard } from './orphan-guard.ts'
import type { StandIns } from './stand-ins.ts'

export interface HeldConfinement {
  /** To be file descriptor 3 of the command; closed by `started`. */
  readonly seccomp: FileHandle | undefined
  started(): Promise<void>
  /** @returns protected names that had been changed and are as before. Never rejects. */
  release(): Promise<string[]>
}

export interface ConfinementPlace {
  readonly standIns: StandIns
  readonly guard: OrphanGuard
  /** A private folder of this host. */
  readonly folder: string
}

/** @throws with the system's code when a stand-in cannot be made. */
export async function holdConfinement(confinement: Confinement, place: ConfinementPlace): Promise<HeldConfinement> {
  const { standIns, guard } = place
  // A trial holds nothing: the guard has nothing to look for in its folder.
  if (confinement.standIns.length + confinement.unwanted.length > 0) guard.commandHeld(confinement.root, confinement.unwanted)
  let seccomp: FileHandle | undefined
  try {
    await standIns.take(confinement.standIns)
    try {
      seccomp = confinement.seccomp === undefined ? undefined : await openProgram(confinement.seccomp, place.folder)
    } catch (error) {
      await standIns.release(confinement.standIns)
      throw error
    }
  } catch (error) {
    guard.commandReleased(confinement.unwanted)
    throw error
  }
  return {
    seccomp,
    started: async () => seccomp?.close(),
    release: async () => {
      try {
        await standIns.release(confinement.standIns)
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

/** The sandbox reads the program from where the descriptor stands, so each command gets a descriptor of its own. */
async function openProgram(base64: string, folder: string): Promise<FileHandle> {
  const path = join(folder, 'seccomp')
  try {
    return await open(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await writeFile(path, Buffer.from(base64, 'base64'), { mode: 0o600 })
    return open(path, 'r')
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
  try {
    await lstat(path)
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
