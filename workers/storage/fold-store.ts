import type { Database } from 'better-sqlite3'
import { readFold } from './queries/read-sessions.ts'
import type { SessionFold } from './projection/session-fold.ts'

const KEPT = 512

/** Where each session's projection stands. What a transaction changes is staged until it is durable. */
export class FoldStore {
  #folds = new Map<string, SessionFold>()
  #staged = new Map<string, SessionFold>()

  get(database: Database, sessionId: string): SessionFold {
    return this.#staged.get(sessionId) ?? this.#recent(sessionId) ?? readFold(database, sessionId)
  }

  stage(sessionId: string, fold: SessionFold): void {
    this.#staged.set(sessionId, fold)
  }

  promote(): void {
    for (const [sessionId, fold] of this.#staged) {
      this.#folds.delete(sessionId)
      this.#folds.set(sessionId, fold)
    }
    this.#staged.clear()
    for (const sessionId of this.#folds.keys()) {
      if (this.#folds.size <= KEPT) break
      this.#folds.delete(sessionId)
    }
  }

  discard(): void {
    this.#staged.clear()
  }

  forget(sessionId: string): void {
    this.#folds.delete(sessionId)
    this.#staged.delete(sessionId)
  }

  /** The database was replaced: nothing remembered holds. */
  clear(): void {
    this.#folds.clear()
    this.#staged.clear()
  }

  #recent(sessionId: string): SessionFold | undefined {
    return this.#folds.get(sessionId)
  }
}
