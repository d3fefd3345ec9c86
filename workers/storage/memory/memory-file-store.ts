/**
 * The workspace's MEMORY.md. Other programs write it too: an editor that knows nothing of us saves whole buffers, a second instance or a
 * command line changes single items. Ours are operations under a lock, put into the place of exactly the text they were made from, and
 * written in a journal, so that a save from an old buffer does not undo them. A text that is to the byte one of the journal stands: most
 * often somebody took a change of ours back (undo, a checkout), and would fight with us over it otherwise. As an editor may also have
 * saved a buffer nobody touched, the person is told, and the text with our changes is kept.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MemoryOperation } from '#contracts/metona/memory-file.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { parseMemory, readDocument, serializeMemory, type MemoryDocument } from '../domain/memory-document.ts'
import { applyOperation, type OperationPlace } from '../domain/memory-operations.ts'
import { editorBase, reapply } from '../domain/merge-edit.ts'
import type { WorkspaceLayout } from '../folders/workspace-layout.ts'
import { tryOsLock, type OsLock } from '../lock/os-lock.ts'
import { JournalSeal } from './journal-seal.ts'
import { MemoryJournal, hashOf, type JournalLine } from './memory-journal.ts'
import { putInPlace, readMemoryFile, realMemoryFile, type MemoryFileReading } from './memory-file-io.ts'
import { MemoryFileWatch } from './memory-file-watch.ts'

const NAME = 'MEMORY.md'
const LOCK_WAIT_MS = 10_000
const MOST_ATTEMPTS = 100
/** An editor that writes in place is seen half way; its text is looked at again after this long. */
const SETTLE_MS = 30
/** A file that is written without an end does not stop us for good; comparing before the rename keeps what comes late. */
const MOST_LOOKS = 100

export interface MemoryFileOptions {
  readonly layout: Pick<WorkspaceLayout, 'root' | 'internals'>
  /** Folder of the profile, where the key lies that tells our journal from another. */
  readonly profile: string
  readonly now: () => string
  /** Throws an AppError for a text that must not be written, also one that was written before. */
  readonly check?: (text: string) => void
  /** Somebody's save had lost changes of ours, which are in the file again. */
  readonly onMerged?: (count: number) => void
  /** An earlier text was put in place, or one nothing of ours resembles: so many changes of ours are not in it, but in `kept` (0: none is missing). */
  readonly onLeftOut?: (count: number, kept: string) => void
  /** `before` was changed by one operation into `after`; what was put back besides is not in it. */
  readonly onWritten?: (before: string, after: string) => void
  readonly log?: (message: string) => void
  /** For the tests that show what each protection does. */
  readonly without?: { readonly lock?: boolean; readonly compare?: boolean; readonly journal?: boolean }
}

export interface MemoryFileChange {
  readonly changed: boolean
  readonly text: string
}

interface Missed {
  readonly document: MemoryDocument
  readonly applied: readonly MemoryOperation[]
  readonly leftOut: number | undefined
}

export class MemoryFileStore {
  readonly #options: MemoryFileOptions
  readonly #journal: MemoryJournal
  #queue: Promise<unknown> = Promise.resolve()
  readonly #watch: MemoryFileWatch

  constructor(options: MemoryFileOptions) {
    this.#options = options
    this.#journal = new MemoryJournal(options.layout.internals, new JournalSeal(options.profile, options.layout.root))
    const log = (message: string): void => options.log?.(message)
    this.#watch = new MemoryFileWatch({
      root: options.layout.root,
      name: NAME,
      path: () => {
        const real = realMemoryFile(options.layout.root, NAME)
        return typeof real === 'string' ? join(options.layout.root, NAME) : real.path
      },
      onSaved: () => void this.mergeExternal().catch((error: unknown) => log(`merging ${NAME}: ${String(error)}`)),
      log,
    })
  }

  read(): MemoryFileReading {
    return readMemoryFile(this.#options.layout.root, NAME)
  }

  /** @throws AppError as `applyOperation`; MEMORY_FILE_UNSAFE, MEMORY_READ_ONLY, MEMORY_FILE_BUSY */
  change(operation: MemoryOperation): Promise<MemoryFileChange> {
    this.watch()
    return this.#alone(() => this.#write(operation))
  }

  /** Somebody else's way of writing the file, under the same lock. @throws MEMORY_FILE_BUSY, and what `work` throws. */
  exclusively<T>(work: () => T): Promise<T> {
    return this.#alone(async () => work())
  }

  /** Looks whether somebody's save lost changes of ours and puts them back. @returns how many. */
  async mergeExternal(): Promise<number> {
    let merged = 0
    await this.#alone(async () => {
      if (this.read().state === 'ready') merged = (await this.#write(undefined)).merged
    })
    return merged
  }

  /** From now on saves of other programs are noticed; harmless to repeat. */
  watch(): void {
    if (this.#options.onMerged !== undefined) this.#watch.start()
  }

  async close(): Promise<void> {
    this.#watch.close()
    await this.#queue
  }

  async #write(operation: MemoryOperation | undefined): Promise<MemoryFileChange & { merged: number }> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const journal = this.#journal.read()
      const before = await this.#settled(journal)
      const foreign = before.state === 'ready' && hashOf(before.text) !== journal.at(-1)?.after
      const present = parseMemory(before.text)
      const now = this.#stampAfter(present)
      const place = { workspace: this.#options.layout.root, now, check: this.#options.check }
      const lost =
        foreign && this.#options.without?.journal !== true
          ? this.#missed(before.text, present, journal, place)
          : { document: present, applied: [], leftOut: undefined }
      const after = operation === undefined ? lost.document : applyOperation(lost.document, operation, place)
      const text = serializeMemory(after)
      const changed = after !== lost.document
      const lines: JournalLine[] = foreign || journal.length === 0 ? [{ after: hashOf(before.text), stamp: stampOf(present) }] : []
      if (text !== before.text) {
        const temporary = `${NAME}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`
        const placed = await putInPlace(before, text, this.#journal.folder, temporary, this.#options.without?.compare !== true)
        if (!placed) continue
        const own = lost.applied.length === 0 ? after : operation === undefined ? undefined : alone(present, operation, place)
        if (own !== undefined) this.#options.onWritten?.(before.text, serializeMemory(own))
        for (const again of lost.applied) lines.push({ operation: again, after: hashOf(text), stamp: now })
        if (operation !== undefined && changed) lines.push({ operation, after: hashOf(text), stamp: now })
      }
      this.#journal.append(lines, [before.text, text])
      if (lost.applied.length > 0) this.#options.onMerged?.(lost.applied.length)
      if (lost.leftOut !== undefined) this.#options.onLeftOut?.(lost.leftOut, this.#journal.fileOf(journal.at(-1)?.after ?? ''))
      return { changed, text, merged: lost.applied.length }
    }
    throw busy()
  }

  /** The text of somebody else with the changes of ours it never saw; or how many are left out of it, where it stands as it is. */
  #missed(text: string, present: MemoryDocument, journal: readonly JournalLine[], place: OperationPlace): Missed {
    const snapshots = (hashes: readonly string[]) => this.#journal.snapshots(hashes)
    const hash = hashOf(text)
    const restored = journal.findLastIndex((line) => line.after === hash)
    const base = restored >= 0 ? undefined : editorBase(text, journal, snapshots)
    if (base !== undefined) {
      const known = snapshots([journal[base]?.after ?? ''])[0]?.text
      return { ...reapply(present, base, journal, place, known), leftOut: undefined }
    }
    // Of a text that is new altogether, what we did since the last one that was not ours.
    const since = restored >= 0 ? restored : journal.findLastIndex((line) => line.operation === undefined)
    const { applied } = reapply(present, since, journal, place, text)
    return { document: present, applied: [], leftOut: journal.length === 0 ? undefined : applied.length }
  }

  /** The text as it stands, once nobody is in the middle of writing it. */
  async #settled(journal: readonly JournalLine[]): Promise<MemoryFileReading & { text: string }> {
    let reading = this.#readable()
    for (let look = 0; look < MOST_LOOKS; look++) {
      if (hashOf(reading.text) === journal.at(-1)?.after || reading.modifiedAt === undefined) break
      // Either way from now: a time to come is of another clock, or of an archive, and says nothing of who is writing.
      if (Math.abs(Date.now() - reading.modifiedAt) >= SETTLE_MS) break
      await sleep(SETTLE_MS / 3)
      reading = this.#readable()
    }
    return reading
  }

  #readable(): MemoryFileReading & { text: string } {
    const reading = this.read()
    if (reading.state === 'unsafe')
      throw new AppError({
        code: 'MEMORY_FILE_UNSAFE',
        message: `${NAME} is a link out of the folder, or no regular file`,
        params: { file: NAME },
      })
    if (reading.state === 'read_only')
      throw new AppError({ code: 'MEMORY_READ_ONLY', message: `${NAME} is not UTF-8 and is left alone`, params: { version: '' } })
    return reading
  }

  /** Later than the one in the file, whatever the clock says: by it an editor's copy is told from a newer text. */
  #stampAfter(document: MemoryDocument): string {
    const last = Date.parse(stampOf(document) ?? '')
    const now = Date.parse(this.#options.now())
    return new Date(Number.isFinite(last) && last >= now ? last + 1 : now).toISOString()
  }

  /** One change at a time here, and among all programs that keep to the lock. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#queue.then(async () => {
      this.#journal.makeFolder()
      const lock = this.#options.without?.lock === true ? undefined : await this.#lock()
      try {
        return await work()
      } finally {
        lock?.release()
      }
    })
    // The caller of `#alone` gets the error; the next one only waits.
    this.#queue = run.then(
      () => undefined,
      () => undefined,
    )
    return run
  }

  async #lock(): Promise<OsLock | undefined> {
    const deadline = performance.now() + LOCK_WAIT_MS
    for (;;) {
      const outcome = tryOsLock(this.#journal.lockFile)
      // A file system without locks: comparing before the rename has to do.
      if (outcome.kind !== 'taken') return outcome.kind === 'held' ? outcome.lock : undefined
      if (performance.now() > deadline) throw busy()
      await sleep(2 + Math.random() * 23)
    }
  }
}

/** The document after the operation and nothing else; undefined when it speaks of what was only put back. */
function alone(document: MemoryDocument, operation: MemoryOperation, place: OperationPlace): MemoryDocument | undefined {
  try {
    return applyOperation(document, operation, place)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return undefined
  }
}

function stampOf(document: MemoryDocument): string | undefined {
  return readDocument(document).header.updated?.value
}

function busy(): AppError {
  return new AppError({
    code: 'MEMORY_FILE_BUSY',
    message: `${NAME} is being written by another program all the time; try again`,
    retryable: true,
  })
}
