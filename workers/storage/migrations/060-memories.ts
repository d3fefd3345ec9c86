import type { Migration } from './migration.ts'

/** What is remembered across sessions, its index, and when it was brought up. Rows follow from `workspace_events` and session events. */
export const memories: Migration = {
  version: 60,
  name: 'memories',
  up: (database) => {
    database.exec(`
CREATE TABLE memories (
    number      INTEGER PRIMARY KEY,     -- row of the index
    id          TEXT NOT NULL UNIQUE,
    type        TEXT NOT NULL CHECK(type IN ('episodic', 'semantic', 'working')),
    content     TEXT NOT NULL,
    fold        TEXT NOT NULL,           -- hash by which the same text is found again
    summary     TEXT,
    source      TEXT NOT NULL CHECK(source IN ('user_input', 'tool_result', 'agent_thought', 'imported')),
    importance  REAL NOT NULL,
    session_id  TEXT,
    position    INTEGER,                 -- place among the session's memories
    pinned      INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,        -- milliseconds since the epoch, as in MetonaMemoryItem
    updated_at  INTEGER NOT NULL,
    expires_at  INTEGER
);
CREATE INDEX idx_memories_fold ON memories(fold);
CREATE INDEX idx_memories_place ON memories(session_id, position);
CREATE INDEX idx_memories_order ON memories(pinned, created_at);
CREATE INDEX idx_memories_expiry ON memories(expires_at) WHERE expires_at IS NOT NULL;

-- Fed with stems and pairs of characters made by domain/memory-terms.ts.
CREATE VIRTUAL TABLE memories_fts USING fts5(
    terms, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0"
);
CREATE VIRTUAL TABLE memories_vocab USING fts5vocab(memories_fts, row);

CREATE TABLE memory_recalls (
    memory_id   TEXT NOT NULL,
    session_id  TEXT NOT NULL,
    seq         INTEGER NOT NULL,
    turn        INTEGER,
    score       REAL NOT NULL,
    words       TEXT NOT NULL,           -- JSON array: the words that matched
    ts          TEXT NOT NULL,
    PRIMARY KEY (memory_id, session_id, seq)
);
CREATE INDEX idx_memory_recalls_session ON memory_recalls(session_id);
`)
  },
}
