import type { Migration } from './migration.ts'

/** Exact counts of messages, so that a session taken up again need not be counted anew. Outside the log and outside equality. */
export const tokenCounts: Migration = {
  version: 40,
  name: 'token-counts',
  up: (database) => {
    database.exec(`
CREATE TABLE token_counts (
    session_id  TEXT NOT NULL,
    message_id  TEXT NOT NULL,
    revision    INTEGER NOT NULL,        -- of the message's text
    counter     TEXT NOT NULL,
    tokens      INTEGER NOT NULL,
    PRIMARY KEY (session_id, message_id)
) WITHOUT ROWID;
`)
  },
}
