/**
 * What files were before each change, so that a change can be taken back. Kept in the profile, by
 * workspace and session: `<profile>/checkpoints/<workspace hash>/<session>/`, one JSON line per change
 * in `changes.jsonl` and one file per distinct content in `content/`.
 */
import { createHash } from 'node:crypto'
import { appendFile, mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'

const ChangeSchema = z.object({
  callId: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** Names below the workspace, joined by `/`. */
  path: z.string(),
  /** SHA-256 of the content before; null when there was no file. */
  before: z.string().nullable(),
  /** Permission bits before; absent when there was no file. */
  mode: z.number().optional(),
  after: z.string(),
  /** Set by an undo: this change is taken back and not offered again. */
  undone: z.boolean().optional(),
})
export type StoredChange = z.infer<typeof ChangeSchema>

const KEEP_MS = 30 * 24 * 60 * 60 * 1000

export class CheckpointStore {
  private readonly folder: string
  private swept = false

  constructor(profile: string) {
    this.folder = join(profile, 'checkpoints')
  }

  /** On disk before the file is changed. @throws when it cannot be kept: then nothing is to be changed. */
  async keep(workspace: string, sessionId: string, change: StoredChange, before: Uint8Array | undefined): Promise<void> {
    const folder = this.folderOf(workspace, sessionId)
    await mkdir(join(folder, 'content'), { recursive: true, mode: 0o700 })
    await this.sweepOnce()
    if (before !== undefined && change.before !== null) await this.keepContent(folder, change.before, before)
    await appendFile(join(folder, 'changes.jsonl'), `${JSON.stringify(change)}\n`, { mode: 0o600, flush: true })
  }

  /** Oldest first. A line torn by a crash is left out: its change never began. */
  async list(workspace: string, sessionId: string): Promise<StoredChange[]> {
    const text = await readFile(join(this.folderOf(workspace, sessionId), 'changes.jsonl'), 'utf8').catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return ''
        throw error
      },
    )
    const undone = new Set<string>()
    const changes = text.split('\n').flatMap((line): StoredChange[] => {
      const parsed = ChangeSchema.safeParse(parseLine(line))
      if (!parsed.success) return []
      if (parsed.data.undone === true) undone.add(keyOf(parsed.data))
      return parsed.data.undone === true ? [] : [parsed.data]
    })
    return changes.filter((change) => !undone.has(keyOf(change)))
  }

  /** @throws when the content is gone (removed after 30 days, or by hand). */
  async content(workspace: string, sessionId: string, hash: string): Promise<Uint8Array> {
    const bytes = await readFile(join(this.folderOf(workspace, sessionId), 'content', hash))
    if (createHash('sha256').update(bytes).digest('hex') !== hash) throw new Error(`the kept content ${hash} is damaged`)
    return bytes
  }

  async markUndone(workspace: string, sessionId: string, change: StoredChange): Promise<void> {
    await appendFile(join(this.folderOf(workspace, sessionId), 'changes.jsonl'), `${JSON.stringify({ ...change, undone: true })}\n`, {
      mode: 0o600,
      flush: true,
    })
  }

  private async keepContent(folder: string, hash: string, bytes: Uint8Array): Promise<void> {
    const path = join(folder, 'content', hash)
    const known = await stat(path).catch(() => undefined)
    if (known?.size === bytes.length) return
    await writeFile(`${path}.tmp`, bytes, { mode: 0o600, flush: true })
    await rename(`${path}.tmp`, path)
  }

  private folderOf(workspace: string, sessionId: string): string {
    const place = createHash('sha256').update(workspace).digest('hex').slice(0, 16)
    return join(this.folder, place, sessionId.replace(/[^a-zA-Z0-9_-]/g, '_'))
  }

  /** Sessions without a change for a month are forgotten. */
  private async sweepOnce(): Promise<void> {
    if (this.swept) return
    this.swept = true
    const now = Date.now()
    for (const place of await readdir(this.folder)) {
      for (const session of await readdir(join(this.folder, place))) {
        const path = join(this.folder, place, session)
        const { mtimeMs } = await stat(join(path, 'changes.jsonl')).catch(() => stat(path))
        if (now - mtimeMs > KEEP_MS) await rm(path, { recursive: true, force: true })
      }
    }
  }
}

function keyOf(change: StoredChange): string {
  return `${change.callId}\0${change.path}\0${change.at}`
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
