/** Where output goes that is too long for a result: files of the profile, readable by range with read_file. Secrets are left out. */
import { mkdirSync, realpathSync } from 'node:fs'
import { mkdir, open, readdir, rm, stat, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { redactStream } from '#workers/shared/redact-stream.ts'
import type { Secrets } from '#workers/shared/secrets.ts'

export interface OutputFile {
  readonly path: string
  /** Bytes written so far. */
  readonly written: number
  /** False once the cap is reached; what comes then is not kept. */
  append(text: string): boolean
  /** Waits until all is on disk or reports the first error. */
  close(): Promise<void>
}

/** A file takes at most this much; a command's output beyond it is counted, not kept. */
const FILE_CAP = 64 * 1024 * 1024
const KEEP_MS = 14 * 24 * 60 * 60 * 1000

export class OutputStore {
  /** Absolute real path; `read_file` may read below it without asking. */
  readonly folder: string
  private readonly secrets: Pick<Secrets, 'redactor'>
  private swept = false

  constructor(profile: string, secrets: Pick<Secrets, 'redactor'>) {
    this.secrets = secrets
    mkdirSync(profile, { recursive: true, mode: 0o700 })
    this.folder = join(realpathSync(profile), 'tool-output')
  }

  /** Makes the file when the first text is appended. */
  create(sessionId: string, callId: string): OutputFile {
    const folder = join(this.folder, safeName(sessionId))
    const path = join(folder, `${safeName(callId)}.txt`)
    let handle: Promise<FileHandle> | undefined
    let queue: Promise<unknown> = Promise.resolve()
    let failure: unknown
    let written = 0
    const clean = redactStream(this.secrets.redactor)
    const write = (text: string): void => {
      const bytes = Buffer.from(text, 'utf8')
      written += bytes.length
      handle ??= this.open(folder, path)
      const target = handle
      queue = queue.then(async () => (await target).writeFile(bytes)).catch((error: unknown) => void (failure ??= error))
    }
    const file = {
      path,
      get written() {
        return written
      },
      append: (text: string): boolean => {
        if (failure !== undefined || written >= FILE_CAP) return false
        write(clean.push(text))
        return true
      },
      close: async () => {
        const rest = clean.flush()
        if (rest !== '') write(rest)
        await queue
        await (await handle)?.close()
        if (failure !== undefined) throw failure
      },
    }
    return file
  }

  private async open(folder: string, path: string): Promise<FileHandle> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if (!this.swept) {
      this.swept = true
      await this.sweep()
    }
    return open(path, 'w', 0o600)
  }

  /** Removes folders of sessions that wrote nothing for two weeks. */
  private async sweep(): Promise<void> {
    const now = Date.now()
    for (const name of await readdir(this.folder)) {
      const path = join(this.folder, name)
      const { mtimeMs } = await stat(path)
      if (now - mtimeMs > KEEP_MS) await rm(path, { recursive: true, force: true })
    }
  }
}

function safeName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 100)
}
