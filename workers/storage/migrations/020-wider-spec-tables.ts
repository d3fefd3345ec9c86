import type { Migration } from './migration.ts'

/** `mcp_servers` learns streamable HTTP, environment and headers; `audit_logs` becomes a hash chain tied to the log. */
export const widerSpecTables: Migration = {
  version: 20,
  name: 'wider-spec-tables',
  up: (database) => {
    // A CHECK cannot be altered in place: the table is made anew and its rows are carried over.
    database.exec(`
CREATE TABLE mcp_servers_wider (
    id          TEXT PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    transport   TEXT CHECK(transport IN ('stdio', 'sse', 'streamable_http')),
    command     TEXT,
    args        TEXT,
    url         TEXT,
    enabled     BOOLEAN DEFAULT TRUE,
    created_at  TEXT DEFAULT (datetime('now')),
    updated_at  TEXT DEFAULT (datetime('now')),
    env         TEXT,                    -- JSON object
    headers     TEXT                     -- JSON object
);
INSERT INTO mcp_servers_wider (id, name, transport, command, args, url, enabled, created_at, updated_at)
  SELECT id, name, transport, command, args, url, enabled, created_at, updated_at FROM mcp_servers;
DROP TABLE mcp_servers;
ALTER TABLE mcp_servers_wider RENAME TO mcp_servers;

ALTER TABLE audit_logs ADD COLUMN log_seq INTEGER;   -- seq of the event in the session's log
ALTER TABLE audit_logs ADD COLUMN prev_hash TEXT;    -- hash of the session's previous audit row
ALTER TABLE audit_logs ADD COLUMN hash TEXT;         -- SHA-256 over prev_hash, the row and its event
CREATE UNIQUE INDEX idx_audit_session_seq ON audit_logs(session_id, log_seq);
`)
  },
}
