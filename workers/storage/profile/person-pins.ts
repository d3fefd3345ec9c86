/** Which memories the person pinned, with the text they had then; in the profile, by workspace: a pin that came with the folder is none. */
import { createHash } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import { inTransaction } from '../migrate.ts'
import { waitForLock } from '../wait-for-lock.ts'

interface Pinned {
  readonly id: string
  readonly content: string
  readonly summary?: string | undefined
  readonly pinned: boolean
}

export class PersonPins {
  readonly #database: Database
  readonly #now: () => string

  constructor(database: Database, now: () => string) {
    this.#database = database
    this.#now = now
  }

  /** The person saved the item as it is now. */
  saved(workspace: string, item: Pinned): void {
    if (!item.pinned) return this.removed(workspace, [item.id])
    waitForLock(() =>
      this.#database
        .prepare('INSERT OR REPLACE INTO pinned_memories (workspace, id, hash, updated_at) VALUES (?, ?, ?, ?)')
        .run(workspace, item.id, hashOf(item), this.#now()),
    )
  }

  removed(workspace: string, ids: readonly string[]): void {
    const remove = (): void => {
      const one = this.#database.prepare<[string, string]>('DELETE FROM pinned_memories WHERE workspace = ? AND id = ?')
      for (const id of ids) one.run(workspace, id)
    }
    if (ids.length > 0) waitForLock(() => inTransaction(this.#database, remove))
  }

  /** Of the items the person pinned in a workspace; some may be gone, or have another text by now. */
  ids(workspace: string): string[] {
    return this.#database
      .prepare<[string], { id: string }>('SELECT id FROM pinned_memories WHERE workspace = ?')
      .all(workspace)
      .map(({ id }) => id)
  }

  /** Tells whether the person pinned an item, with the text it has. */
  of(workspace: string): (item: Pinned) => boolean {
    const rows = this.#database
      .prepare<[string], { id: string; hash: string }>('SELECT id, hash FROM pinned_memories WHERE workspace = ?')
      .all(workspace)
    const hashes = new Map(rows.map(({ id, hash }) => [id, hash]))
    return (item) => item.pinned && hashes.has(item.id) && hashes.get(item.id) === hashOf(item)
  }
}

function hashOf({ content, summary }: Pinned): string {
  return createHash('sha256')
    .update(JSON.stringify([content, summary ?? null]))
    .digest('hex')
}
