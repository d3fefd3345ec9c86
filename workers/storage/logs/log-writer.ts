import { closeSync, fdatasync, fstatSync } from 'node:fs'
import { promisify } from 'node:util'
import { appendText, openLogFile } from './log-file.ts'

const fdatasyncAsync = promisify(fdatasync)

export interface LogRow {
  readonly seq: number
  readonly json: string
}

/** One log file that is appended to. It is closed and opened again as the number of open files demands. */
export class LogWriter {
  readonly path: string
  /** Last `seq` in the file; what is committed beyond it is still to be appended. */
  loggedSeq: number
  #bytes: number
  #fd: number | undefined
  #dirty = false
  #syncing: Promise<void> | undefined

  constructor(path: string, loggedSeq: number, bytes: number) {
    this.path = path
    this.loggedSeq = loggedSeq
    this.#bytes = bytes
  }

  get bytes(): number {
    return this.#bytes
  }

  get isOpen(): boolean {
    return this.#fd !== undefined
  }

  get dirty(): boolean {
    return this.#dirty
  }

  /** Appends rows that follow `loggedSeq`; throws with the file as it was. */
  append(rows: readonly LogRow[]): void {
    const fresh = rows.filter((row) => row.seq > this.loggedSeq)
    const last = fresh.at(-1)
    if (last === undefined) return
    this.#fd ??= openLogFile(this.path, 'append')
    this.#bytes = appendText(this.#fd, fresh.map((row) => `${row.json}\n`).join(''))
    this.loggedSeq = last.seq
    this.#dirty = true
  }

  /** True when somebody removed or changed the file behind our back. */
  isDisturbed(): boolean {
    if (this.#fd === undefined) return false
    const stat = fstatSync(this.#fd)
    return stat.nlink === 0 || stat.size !== this.#bytes
  }

  /** Resolves when all that was appended before the call is on the disk. */
  async sync(): Promise<void> {
    while (this.#syncing !== undefined) await this.#syncing
    if (!this.#dirty || this.#fd === undefined) return
    this.#dirty = false
    this.#syncing = fdatasyncAsync(this.#fd).catch((error: unknown) => {
      this.#dirty = true
      throw error
    })
    try {
      await this.#syncing
    } finally {
      this.#syncing = undefined
    }
  }

  async close(): Promise<void> {
    try {
      await this.sync()
    } finally {
      if (this.#fd !== undefined) closeSync(this.#fd)
      this.#fd = undefined
    }
  }
}
