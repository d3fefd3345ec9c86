import type { Database } from 'better-sqlite3'
import type { StoredCount } from '#contracts/context/token-report.ts'

/** Called inside a transaction. A newer count of a message takes the place of the older. */
export function writeTokenCounts(database: Database, sessionId: string, counts: readonly StoredCount[]): void {
  const put = database.prepare<[string, string, number, string, number]>(
    'INSERT OR REPLACE INTO token_counts (session_id, message_id, revision, counter, tokens) VALUES (?, ?, ?, ?, ?)',
  )
  for (const { messageId, revision, counter, tokens } of counts) put.run(sessionId, messageId, revision, counter, tokens)
}

export function readTokenCounts(database: Database, sessionId: string): StoredCount[] {
  return database
    .prepare<[string], StoredCount>(
      'SELECT message_id AS messageId, revision, counter, tokens FROM token_counts WHERE session_id = ? ORDER BY message_id',
    )
    .all(sessionId)
}
