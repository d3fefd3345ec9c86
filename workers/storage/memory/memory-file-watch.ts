/** Notices saves of MEMORY.md by other programs; where the name is a link, also of the file it leads to. */
import { watch, type FSWatcher } from 'node:fs'
import { basename, dirname } from 'node:path'

/** An editor writes in several steps. */
const DEBOUNCE_MS = 150

export interface MemoryFileWatchOptions {
  readonly root: string
  readonly name: string
  /** The file itself, as it is now. */
  readonly path: () => string
  readonly onSaved: () => void
  readonly log: (message: string) => void
}

export class MemoryFileWatch {
  readonly #options: MemoryFileWatchOptions
  readonly #watchers = new Map<string, FSWatcher>()
  /** What the file itself is called. */
  #real = ''
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: MemoryFileWatchOptions) {
    this.#options = options
  }

  /** Harmless to repeat, and needed after the name may have become a link. */
  start(): void {
    // A change that was waiting for its turn may come to it after the folder was closed.
    if (this.#closed) return
    const path = this.#options.path()
    this.#real = basename(path)
    const folders = new Set([this.#options.root, dirname(path)])
    for (const [folder, watcher] of this.#watchers)
      if (!folders.has(folder)) {
        watcher.close()
        this.#watchers.delete(folder)
      }
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#watch(folder)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
  }

  #watch(folder: string): void {
    const { root, name, log } = this.#options
    try {
      const watcher = watch(folder, { persistent: false }, (_event, changed) => {
        if (changed === this.#real || (folder === root && changed === name)) this.#savedSoon()
      })
      watcher.on('error', (error) => {
        // The folder is gone, say: another start watches it anew.
        watcher.close()
        this.#watchers.delete(folder)
        log(`watching ${name}: ${String(error)}`)
      })
      this.#watchers.set(folder, watcher)
    } catch (error) {
      // No more watches to be had: the next change of ours looks by itself.
      log(`watching ${name}: ${String(error)}`)
    }
  }

  #savedSoon(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.start()
      this.#options.onSaved()
    }, DEBOUNCE_MS)
    this.#timer.unref()
  }
}
