/**
 * A bound on processes that holds for root as well, where this process may make control groups. The kernel's
 * ordinary limit does not bind root, whatever namespace it is in.
 */
import { writeFileSync } from 'node:fs'
import { access, mkdir, readdir, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Where the two layouts of control groups count processes. */
const PLACES = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup']
/** The kernel has no more ids than this. */
const MOST_PROCESSES = 4 * 1024 * 1024

export interface ProcessGroup {
  /** @throws with the system's code when the group is no longer there. */
  limit(most: number): void
  /** Once its processes have ended. */
  remove(): Promise<void>
}

/**
 * @param pid of a process that has started nothing yet: what it started before would stay outside.
 * @returns undefined where there are no groups for us.
 */
export async function makeProcessGroup(pid: number): Promise<ProcessGroup | undefined> {
  if (process.getuid?.() !== 0) return undefined
  cleared ??= clearStale()
  await cleared
  for (const place of PLACES) {
    const group = join(place, `metona-${process.pid}-${pid}`)
    try {
      await mkdir(group)
    } catch {
      // Not mounted, or read-only as in most containers: the count of the command host is what is left.
      continue
    }
    let now: number | undefined
    const limit = (most: number): void => {
      if (most === now) return
      // Never made by us: where the kernel did not put it there, the folder is no group.
      writeFileSync(join(group, 'pids.max'), most > MOST_PROCESSES ? 'max' : String(most), { flag: 'r+' })
      now = lastLimit = most
    }
    try {
      limit(lastLimit)
      await writeFile(join(group, 'cgroup.procs'), String(pid), { flag: 'r+' })
      return { limit, remove: () => remove(group) }
    } catch {
      await remove(group)
    }
  }
  return undefined
}

/** The next command has the same as a rule. */
let lastLimit = MOST_PROCESSES
let cleared: Promise<void> | undefined

/** Groups of hosts that were killed. Only empty ones can be removed at all. */
async function clearStale(): Promise<void> {
  for (const place of PLACES)
    for (const name of await readdir(place).catch(() => [])) {
      const host = /^metona-(\d+)-\d+$/.exec(name)?.[1]
      if (host === undefined) continue
      const alive = await access(`/proc/${host}`).then(
        () => true,
        () => false,
      )
      if (!alive) await rmdir(join(place, name)).catch(() => undefined)
    }
}

/** The kernel needs a moment until the last process counts as gone. */
async function remove(group: string): Promise<void> {
  for (let round = 0; round < 50; round++) {
    try {
      return await rmdir(group)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY') return
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}
