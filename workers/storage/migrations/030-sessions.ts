import type { Migration } from './migration.ts'

/** Events are the truth; the other tables here are made from them in the same transaction (see projection/). */
export const sessions: Migration = {
  version: 30,
  name: 'sessions',
  up: (database) => {
    database.exec(`
CREATE TABLE session_events (
    session_id  TEXT NOT NULL,
    seq         INTEGER NOT NULL,
    event_id    TEXT NOT NULL,
    event       TEXT NOT NULL,
    turn        INTEGER,
    ts          TEXT NOT NULL,
    json        TEXT NOT NULL,           -- the log line, byte for byte
    PRIMARY KEY (session_id, seq)
);
CREATE TRIGGER session_events_append_only BEFORE UPDATE ON session_events
BEGIN SELECT RAISE(ABORT, 'session_events is append-only'); END;

CREATE TABLE sessions (
    session_id  TEXT PRIMARY KEY,
    workspace   TEXT NOT NULL,
    title       TEXT NOT NULL,
    model       TEXT NOT NULL,
    pinned      INTEGER NOT NULL,
    archived    INTEGER NOT NULL,
    state       TEXT NOT NULL,
    since       TEXT NOT NULL,
    activity    TEXT,
    turn        INTEGER NOT NULL,
    last_seq    INTEGER NOT NULL,
    created_at  TEXT NOT NULL,
    updated_at  TEXT NOT NULL,
    open_turn   INTEGER NOT NULL,        -- 1 while the last turn has no turn_end
    fold        TEXT NOT NULL            -- JSON: where the projection of the next event starts from
);

CREATE TABLE messages (
    id          INTEGER PRIMARY KEY,     -- grows with time, so that newest-first needs no sort
    session_id  TEXT NOT NULL,
    seq         INTEGER NOT NULL,
    turn        INTEGER,
    iteration   INTEGER,
    role        TEXT NOT NULL,
    message_id  TEXT,
    content     TEXT NOT NULL,
    ts          TEXT NOT NULL,
    UNIQUE (session_id, seq)
);
CREATE VIRTUAL TABLE messages_fts USING fts5(
    text, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2"
);

CREATE TABLE usage (
    session_id  TEXT NOT NULL,
    seq         INTEGER NOT NULL,
    turn        INTEGER,
    iteration   INTEGER,
    provider    TEXT NOT NULL,
    model       TEXT NOT NULL,
    input_tokens        INTEGER NOT NULL,
    output_tokens       INTEGER NOT NULL,
    total_tokens        INTEGER NOT NULL,
    cache_hit_tokens    INTEGER,
    cache_miss_tokens   INTEGER,
    cache_write_tokens  INTEGER,
    reasoning_tokens    INTEGER,
    currency    TEXT,
    cost        REAL,                    -- NULL: the price is not known
    duration_ms REAL,
    first_token_ms REAL,
    queued_ms   REAL,
    ts          TEXT NOT NULL,
    PRIMARY KEY (session_id, seq)
);

CREATE TABLE queued_messages (
    session_id  TEXT NOT NULL,
    message_id  TEXT NOT NULL,
    seq         INTEGER NOT NULL,
    content     TEXT NOT NULL,
    steering    INTEGER NOT NULL,
    ts          TEXT NOT NULL,
    PRIMARY KEY (session_id, message_id)
);

-- Streamed text not yet in an event. Outside the log and outside equality.
CREATE TABLE partials (
    session_id  TEXT NOT NULL,
    message_id  TEXT NOT NULL,
    turn        INTEGER NOT NULL,
    iteration   INTEGER NOT NULL,
    text        TEXT NOT NULL,
    thinking    TEXT NOT NULL,
    updated_at  TEXT NOT NULL,
    PRIMARY KEY (session_id, message_id)
);

-- What belongs to no session: configuration, MCP entries, deleted sessions. Its log is logs/workspace.jsonl.
CREATE TABLE workspace_events (
    seq         INTEGER PRIMARY KEY,
    event       TEXT NOT NULL,
    ts          TEXT NOT NULL,
    json        TEXT NOT NULL
);
CREATE TRIGGER workspace_events_append_only BEFORE UPDATE ON workspace_events
BEGIN SELECT RAISE(ABORT, 'workspace_events is append-only'); END;

CREATE TABLE deleted_sessions (
    session_id  TEXT PRIMARY KEY,
    ts          TEXT NOT NULL
);

CREATE TABLE meta (
    key         TEXT PRIMARY KEY,
    value       TEXT NOT NULL
);

-- Sizes of the log files at the last clean close; a file that still has its size needs no reading on open.
CREATE TABLE log_files (
    name        TEXT PRIMARY KEY,
    bytes       INTEGER NOT NULL,
    last_seq    INTEGER NOT NULL
);
`)
  },
}
