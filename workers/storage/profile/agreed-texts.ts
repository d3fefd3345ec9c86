/** Which text of each instruction file the person agreed to; in the profile, by workspace. */
import type { Database } from 'better-sqlite3'
import { inTransaction } from '../migrate.ts'
import { waitForLock } from '../wait-for-lock.ts'

export interface AgreedText {
  readonly name: string
  /** SHA-256 (hex) of the text as it was agreed to. */
  readonly hash: string
  /** Without what is known to be secret. */
  readonly text: string
  /** Hash of a later text that the person does not want. */
  readonly kept: string | null
}

/** The same for trust that holds for one run only. */
export interface AgreedTexts {
  all(workspace: string): Map<string, AgreedText>
  put(workspace: string, texts: readonly AgreedText[]): void
  /** Until when a file that was not looked at counts as agreed with its folder, milliseconds since the epoch. */
  coveredUntil(workspace: string): number
  cover(workspace: string): void
}

export class StoredAgreements implements AgreedTexts {
  readonly #database: Database
  readonly #now: () => string

  constructor(database: Database, now: () => string) {
    this.#database = database
    this.#now = now
  }

  all(workspace: string): Map<string, AgreedText> {
    const rows = this.#database
      .prepare<[string], AgreedText>('SELECT name, hash, text, kept FROM agreed_texts WHERE workspace = ? ORDER BY name')
      .all(workspace)
    return new Map(rows.map((row) => [row.name, row]))
  }

  put(workspace: string, texts: readonly AgreedText[]): void {
    if (texts.length === 0) return
    const save = (): void => {
      const put = this.#database.prepare(
        'INSERT OR REPLACE INTO agreed_texts (workspace, name, hash, text, kept, updated_at) VALUES (?, ?, ?, ?, ?, ?)',
      )
      for (const { name, hash, text, kept } of texts) put.run(workspace, name, hash, text, kept, this.#now())
    }
    waitForLock(() => inTransaction(this.#database, save))
  }

  coveredUntil(workspace: string): number {
    const row = this.#database
      .prepare<[string], { at: string | null }>('SELECT files_agreed_at AS at FROM trust WHERE path = ?')
      .get(workspace)
    return Date.parse(row?.at ?? '') || 0
  }

  cover(workspace: string): void {
    waitForLock(() => this.#database.prepare('UPDATE trust SET files_agreed_at = ? WHERE path = ?').run(this.#now(), workspace))
  }
}

export class PassingAgreements implements AgreedTexts {
  readonly #texts = new Map<string, AgreedText>()
  #until = 0

  all(): Map<string, AgreedText> {
    return this.#texts
  }

  put(_workspace: string, texts: readonly AgreedText[]): void {
    for (const text of texts) this.#texts.set(text.name, text)
  }

  coveredUntil(): number {
    return this.#until
  }

  cover(): void {
    this.#until = Date.now()
  }
}
