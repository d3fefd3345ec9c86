/**
 * Empty folders that stand where a protected name does not exist, so that a sandbox has something to mount over:
 * git and most other programs pass over an empty folder. They exist only while a command runs. Their time of change
 * names this host: what a killed host left is known by it, and nothing of the person's is ever taken for one.
 */
import { lstatSync, mkdirSync, rmdirSync, utimesSync } from 'node:fs'
import { isStandInTime, standInStamp } from '#contracts/tools/stand-in-stamp.ts'

export class StandIns {
  /** Seconds since the epoch, this host's own. */
  readonly stamp: number
  private readonly users = new Map<string, number>()

  constructor(random: number) {
    this.stamp = standInStamp(random)
  }

  /**
   * In one go, so that no other command's names come between, and because a command waits for all of them.
   * @param paths absolute. @throws EEXIST when one exists and is no stand-in.
   */
  take(paths: readonly string[]): void {
    const taken: string[] = []
    try {
      for (const path of paths) {
        const users = this.users.get(path) ?? 0
        if (users === 0) this.make(path)
        this.users.set(path, users + 1)
        taken.push(path)
      }
    } catch (error) {
      this.release(taken)
      throw error
    }
  }

  /** @throws the first failure, after all of them were tried. */
  release(paths: readonly string[]): void {
    const failures: unknown[] = []
    for (const path of paths) {
      const users = (this.users.get(path) ?? 1) - 1
      if (users > 0) {
        this.users.set(path, users)
        continue
      }
      this.users.delete(path)
      try {
        removeStandIn(path)
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }

  private make(path: string): void {
    try {
      // The person may fill it meanwhile, as with `git init`: the command's own view of it is read-only whatever its mode.
      mkdirSync(path, 0o755)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isStandIn(path)) throw error
    }
    utimesSync(path, this.stamp, this.stamp)
  }
}

/** Only ever an empty one with a stand-in's time: what somebody put there meanwhile stays. */
function removeStandIn(path: string): void {
  if (!isStandIn(path)) return
  try {
    rmdirSync(path)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code !== 'ENOENT' && code !== 'ENOTEMPTY' && code !== 'EACCES' && code !== 'EROFS') throw error
  }
}

function isStandIn(path: string): boolean {
  const state = lstatSync(path, { throwIfNoEntry: false })
  return state !== undefined && state.isDirectory() && isStandInTime(state.mtimeMs)
}
