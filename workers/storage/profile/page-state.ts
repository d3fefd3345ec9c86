/** What the page keeps in the profile: drafts, marks of what was read, open folders. Nothing of it decides what may happen. */
import type { Database } from 'better-sqlite3'
import { waitForLock } from '../wait-for-lock.ts'

/** Goes when nobody touched it for so long. */
const KEPT_MS = 180 * 86_400_000

export class PageState {
  readonly #database: Database
  readonly #now: () => string
  #pruned = false

  constructor(database: Database, now: () => string) {
    this.#database = database
    this.#now = now
  }

  /** Of keys that begin with `prefix`, in their order. */
  read(prefix: string): { key: string; value: string }[] {
    return this.#database
      .prepare<[string, string], { key: string; value: string }>(
        'SELECT key, value FROM page_state WHERE substr(key, 1, length(?)) = ? ORDER BY key',
      )
      .all(prefix, prefix)
  }

  /** @param value null forgets it. */
  write(key: string, value: string | null): void {
    this.#prune()
    if (value === null) this.#run('DELETE FROM page_state WHERE key = ?', key)
    else this.#run('INSERT OR REPLACE INTO page_state (key, value, updated_at) VALUES (?, ?, ?)', key, value, this.#now())
  }

  /** Once: it looks through all of them, and the values are large. */
  #prune(): void {
    if (this.#pruned) return
    this.#pruned = true
    this.#run('DELETE FROM page_state WHERE updated_at < ?', new Date(Date.parse(this.#now()) - KEPT_MS).toISOString())
  }

  #run(sql: string, ...values: string[]): void {
    waitForLock(() => this.#database.prepare(sql).run(...values))
  }
}
