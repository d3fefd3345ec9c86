import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCodeOf } from './database-errors.ts'

const TRACE = /^trace_(s_[0-9a-z]+)_\d+_\d+\.json$/
/** After a clean-up this share of the quota is in use, so that not every file costs one. */
const AFTER_CLEANUP = 0.9
/** Bytes of one trace that are worth reading. */
const MOST_READ = 1024 * 1024

/** The trace files of a workspace, kept under a quota by removing the oldest. */
export class Traces {
  readonly #folder: string
  #bytes: number | undefined
  #count = 0
  #cleaning: Promise<void> | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** By temporary file and rename, so a reader never sees half of one. */
  async write(name: string, json: string, quotaBytes: number): Promise<void> {
    const temporary = join(this.#folder, `.${name}.${process.pid}-${this.#count++}.tmp`)
    try {
      await this.#writeTo(temporary, json)
      await rename(temporary, join(this.#folder, name))
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
    if (this.#bytes !== undefined) this.#bytes += Buffer.byteLength(json)
    await this.#keepQuota(quotaBytes)
  }

  /** The newest ones of a session by turn and iteration, oldest first. A file that went meanwhile is left out. */
  async read(sessionId: string, limit: number): Promise<{ name: string; json: string }[]> {
    const numbered = (await this.#names())
      .filter((name) => TRACE.exec(name)?.[1] === sessionId)
      .map((name) => ({ name, order: [...name.matchAll(/\d+(?=[_.])/g)].slice(-2).map(Number) }))
      .toSorted((left, right) => (left.order[0] ?? 0) - (right.order[0] ?? 0) || (left.order[1] ?? 0) - (right.order[1] ?? 0))
    const found = await Promise.all(
      numbered.slice(-limit).map(async ({ name }) => {
        const file = join(this.#folder, name)
        const size = await stat(file).then(
          (stats) => stats.size,
          () => Infinity,
        )
        // The folder is not ours alone: something huge under a trace's name is passed over.
        return { name, json: size > MOST_READ ? undefined : await readFile(file, 'utf8').catch(() => undefined) }
      }),
    )
    return found.flatMap(({ name, json }) => (json === undefined ? [] : [{ name, json }]))
  }

  async remove(sessionId: string): Promise<void> {
    for (const name of await this.#names()) {
      if (TRACE.exec(name)?.[1] === sessionId) await rm(join(this.#folder, name), { force: true })
    }
    this.#bytes = undefined
  }

  async #writeTo(file: string, json: string): Promise<void> {
    try {
      await writeFile(file, json)
    } catch (error) {
      if (errorCodeOf(error) !== 'ENOENT') throw error
      await mkdir(this.#folder, { recursive: true })
      await writeFile(file, json)
    }
  }

  async #names(): Promise<string[]> {
    try {
      return (await readdir(this.#folder)).filter((name) => TRACE.test(name))
    } catch (error) {
      if (errorCodeOf(error) === 'ENOENT') return []
      throw error
    }
  }

  async #keepQuota(quotaBytes: number): Promise<void> {
    if (this.#bytes !== undefined && this.#bytes <= quotaBytes) return
    this.#cleaning ??= this.#clean(quotaBytes).finally(() => {
      this.#cleaning = undefined
    })
    await this.#cleaning
  }

  async #clean(quotaBytes: number): Promise<void> {
    const files: { path: string; size: number; at: number }[] = []
    for (const name of await this.#names()) {
      const path = join(this.#folder, name)
      const found = await stat(path).catch(() => undefined)
      if (found !== undefined) files.push({ path, size: found.size, at: found.mtimeMs })
    }
    let bytes = files.reduce((sum, file) => sum + file.size, 0)
    if (bytes > quotaBytes) {
      files.sort((left, right) => left.at - right.at)
      for (const file of files) {
        if (bytes <= quotaBytes * AFTER_CLEANUP) break
        await rm(file.path, { force: true })
        bytes -= file.size
      }
    }
    this.#bytes = bytes
  }
}
