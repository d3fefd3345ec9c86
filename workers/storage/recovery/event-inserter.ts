import type { Database } from 'better-sqlite3'
import { insertEvents, type StoredEvent } from '../append-events.ts'
import type { FoldStore } from '../fold-store.ts'
import { inTransaction } from '../migrate.ts'
import type { RowWriter } from '../queries/write-rows.ts'

const ROWS_PER_TRANSACTION = 500

/** Inserts what the logs have, many sessions to a transaction. */
export class EventInserter {
  readonly #parts: { readonly database: Database; readonly writer: RowWriter; readonly folds: FoldStore }
  #waiting = new Map<string, StoredEvent[]>()
  #count = 0

  constructor(parts: { readonly database: Database; readonly writer: RowWriter; readonly folds: FoldStore }) {
    this.#parts = parts
  }

  /** True when a transaction was made: a good moment to let others run. */
  add(sessionId: string, event: StoredEvent): boolean {
    const events = this.#waiting.get(sessionId)
    if (events === undefined) this.#waiting.set(sessionId, [event])
    else events.push(event)
    this.#count++
    if (this.#count < ROWS_PER_TRANSACTION) return false
    this.flush()
    return true
  }

  flush(): void {
    if (this.#count === 0) return
    const { database, writer, folds } = this.#parts
    try {
      inTransaction(database, () => {
        for (const [sessionId, events] of this.#waiting) insertEvents(database, writer, folds, sessionId, events, { allowGaps: true })
      })
      folds.promote()
    } catch (error) {
      folds.discard()
      throw error
    }
    this.#waiting = new Map()
    this.#count = 0
  }
}
