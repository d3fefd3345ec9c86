/**
 * One build at a time in one checkout. Should two ever get through (a lock taken from a dead process by both),
 * they write the same files by rename, so the worst is work done twice.
 */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

const POLL_MS = 100
/** No build takes this long; a lock that old belongs to a machine that went down, its pid to somebody else. */
const STALE_MS = 10 * 60 * 1000

/** Waits for the lock. @returns releases it. */
export async function takeBuildLock(path: string): Promise<() => void> {
  for (;;) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' })
      return () => rmSync(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    if (isStale(path)) discard(path)
    else await wait(POLL_MS)
  }
}

function isStale(path: string): boolean {
  try {
    if (Date.now() - statSync(path).mtimeMs > STALE_MS) return true
    const holder = Number(readFileSync(path, 'utf8'))
    // An empty file is a lock whose holder is between creating and writing it.
    return holder > 0 && !isAlive(holder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function discard(path: string): void {
  const aside = `${path}.${process.pid}`
  try {
    renameSync(path, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  rmSync(aside, { force: true })
}
