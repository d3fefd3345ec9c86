/**
 * What was done to MEMORY.md, in order, with the texts before and after; in `.metona/memory/`. An aid: without it nothing is lost that a
 * person wrote. Lines without a seal of this profile are none.
 */
import { createHash } from 'node:crypto'
import { closeSync, constants, lstatSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { MemoryOperationSchema } from '#contracts/metona/memory-file.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import type { JournalEntry, Snapshot } from '../domain/merge-edit.ts'
import type { JournalSeal } from './journal-seal.ts'

const LineSchema = z.object({ operation: MemoryOperationSchema.optional(), after: z.string(), stamp: z.string().optional() })
const SealedSchema = LineSchema.extend({ seal: z.string() })
export type JournalLine = JournalEntry

const SNAPSHOTS = 20
const MOST_LINES = 600
const KEPT_LINES = 400
/** Six hundred lines take a few hundred KiB. A longer file is none of ours, and is begun anew. */
const MOST_BYTES = 2 * 1024 * 1024
/** Of a text that is kept: no MEMORY.md is longer. */
const MOST_TEXT_BYTES = 8 * 1024 * 1024

/** SHA-256 (hex, shortened) of a text. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 32)
}

export class MemoryJournal {
  readonly folder: string
  readonly lockFile: string
  readonly #file: string
  readonly #seal: JournalSeal

  constructor(internals: string, seal: JournalSeal) {
    this.#seal = seal
    this.folder = join(internals, 'memory')
    this.lockFile = join(this.folder, 'lock')
    this.#file = join(this.folder, 'journal.jsonl')
  }

  /** `UNSAFE_WORKSPACE` when something else stands in its place. */
  makeFolder(): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    if (!lstatSync(this.folder).isDirectory())
      throw new AppError({ code: 'UNSAFE_WORKSPACE', message: `${this.folder} is a link`, params: { path: this.folder } })
  }

  /**
   * Oldest first; a torn line, or one that was not written by this profile for this folder, is passed over. Only the newest are looked
   * at: whoever ships a folder may fill the file.
   */
  read(): JournalLine[] {
    return this.#lines()
      .slice(-2 * MOST_LINES)
      .flatMap((line) => {
        const { data } = SealedSchema.safeParse(parseJson(line))
        if (data === undefined) return []
        const { seal, ...entry } = data
        return this.#seal.isOurs(entry, seal) ? [entry] : []
      })
  }

  append(lines: readonly JournalLine[], texts: readonly string[]): void {
    if (lines.length === 0) return
    for (const text of texts) this.#keep(text)
    if ((lstatSync(this.#file, { throwIfNoEntry: false })?.size ?? 0) > MOST_BYTES) rmSync(this.#file)
    const fd = openSync(this.#file, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o600)
    try {
      // A line torn by a kill must not swallow the next one.
      writeFileSync(fd, this.#sealed(lines))
    } finally {
      closeSync(fd)
    }
    this.#shorten()
  }

  /** Where the text of that hash lies while it is kept. */
  fileOf(hash: string): string {
    return join(this.folder, `${hash}.md`)
  }

  /** Of these hashes the texts that are still kept, in the same order. */
  snapshots(hashes: readonly string[]): Snapshot[] {
    return hashes.flatMap((hash) => {
      if (!/^[0-9a-f]{32}$/.test(hash)) return []
      const text = readOr(this.fileOf(hash), MOST_TEXT_BYTES)
      return text === undefined || hashOf(text) !== hash ? [] : [{ hash, text }]
    })
  }

  #keep(text: string): void {
    const name = this.fileOf(hashOf(text))
    if (lstatSync(name, { throwIfNoEntry: false }) !== undefined) return
    replaceFile(name, text)
  }

  #shorten(): void {
    const lines = this.read()
    const kept = lines.slice(-KEPT_LINES)
    if (this.#lines().length > MOST_LINES) replaceFile(this.#file, this.#sealed(kept))
    const named = new Set([...new Set(lines.map((line) => line.after).toReversed())].slice(0, SNAPSHOTS).map((hash) => `${hash}.md`))
    for (const name of readdirSync(this.folder)) {
      const old = name.endsWith('.md') && !named.has(name)
      // Left by a kill, and nobody else writes here: the lock is ours.
      const left = name.endsWith('.tmp') && !name.includes(`.${process.pid}.`)
      if (old || left) rmSync(join(this.folder, name), { force: true })
    }
  }

  #sealed(lines: readonly JournalLine[]): string {
    return lines.map((line) => `\n${JSON.stringify({ ...line, seal: this.#seal.sign(line) })}`).join('')
  }

  #lines(): string[] {
    return (readOr(this.#file, MOST_BYTES) ?? '').split('\n').filter((line) => line !== '')
  }
}

/** In one step. What an earlier try left of the temporary file (a full disk, a kill) is removed first. */
function replaceFile(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`
  rmSync(temporary, { force: true })
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 })
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Undefined for what is not there, is no regular file, is a link, or is too large to be ours. */
function readOr(file: string, most: number): string | undefined {
  try {
    const stat = lstatSync(file)
    return stat.isFile() && stat.size <= most ? readFileSync(file, 'utf8') : undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // An empty or torn line says nothing.
    return undefined
  }
}
