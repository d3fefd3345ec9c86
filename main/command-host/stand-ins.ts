/**
 * Empty folders that stand where a protected name does not exist, so that a sandbox has something to mount over:
 * git and most other programs pass over an empty folder. They exist only while a command runs. Their time of change
 * names this host: what a killed host left is known by it, and nothing of the person's is ever taken for one.
 */
import { lstat, mkdir, rmdir, utimes } from 'node:fs/promises'
import { isStandInTime, standInStamp } from '#contracts/tools/stand-in-stamp.ts'

export class StandIns {
  /** Seconds since the epoch, this host's own. */
  readonly stamp: number
  private readonly users = new Map<string, number>()
  /** A name is made and removed by one caller at a time. */
  private queue: Promise<unknown> = Promise.resolve()

  constructor(random: number) {
    this.stamp = standInStamp(random)
  }

  /** @param paths absolute. @throws EEXIST when one exists and is no stand-in. */
  async take(paths: readonly string[]): Promise<void> {
    await this.inOrder(async () => {
      // Side by side: a command waits for all of them.
      const steps = await Promise.allSettled(
        paths.map(async (path) => {
          const users = this.users.get(path) ?? 0
          if (users === 0) await this.make(path)
          this.users.set(path, users + 1)
          return path
        }),
      )
      const failure = steps.find((step) => step.status === 'rejected')
      if (failure === undefined) return
      await this.drop(steps.flatMap((step) => (step.status === 'fulfilled' ? [step.value] : [])))
      throw failure.reason
    })
  }

  async release(paths: readonly string[]): Promise<void> {
    await this.inOrder(() => this.drop(paths))
  }

  private async make(path: string): Promise<void> {
    try {
      // The person may fill it meanwhile, as with `git init`: the command's own view of it is read-only whatever its mode.
      await mkdir(path, 0o755)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !(await isStandIn(path))) throw error
    }
    await utimes(path, this.stamp, this.stamp)
  }

  private async drop(paths: readonly string[]): Promise<void> {
    const steps = await Promise.allSettled(
      paths.map(async (path) => {
        const users = (this.users.get(path) ?? 1) - 1
        if (users > 0) return void this.users.set(path, users)
        this.users.delete(path)
        await removeStandIn(path)
      }),
    )
    const failure = steps.find((step) => step.status === 'rejected')
    if (failure !== undefined) throw failure.reason
  }

  private inOrder<T>(step: () => Promise<T>): Promise<T> {
    const result = this.queue.then(step)
    this.queue = result.catch(() => undefined)
    return result
  }
}

/** Only ever an empty one with a stand-in's time: what somebody put there meanwhile stays. */
async function removeStandIn(path: string): Promise<void> {
  if (!(await isStandIn(path))) return
  try {
    await rmdir(path)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code !== 'ENOENT' && code !== 'ENOTEMPTY' && code !== 'EACCES' && code !== 'EROFS') throw error
  }
}

async function isStandIn(path: string): Promise<boolean> {
  try {
    const state = await lstat(path)
    return state.isDirectory() && isStandInTime(state.mtimeMs)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
