/**
 * A bound on processes that holds for root as well, where this process may make control groups. The kernel's
 * ordinary limit does not bind root, whatever namespace it is in.
 */
import { access, mkdir, readdir, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Where the two layouts of control groups count processes. */
const PLACES = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup']

/** @returns takes the group away once the command has ended; undefined where there are no groups for us. */
export async function limitProcessGroup(pid: number, most: number): Promise<(() => Promise<void>) | undefined> {
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
    try {
      // Never made by us: where the kernel did not put them there, the folder is no group.
      await writeFile(join(group, 'pids.max'), String(most), { flag: 'r+' })
      await writeFile(join(group, 'cgroup.procs'), String(pid), { flag: 'r+' })
      return () => remove(group)
    } catch {
      await remove(group)
    }
  }
  return undefined
}

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
