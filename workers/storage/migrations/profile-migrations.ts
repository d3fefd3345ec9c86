import type { Migration } from './migration.ts'

/** Schema of `profile.db`: what carries authority, and what belongs to the person rather than to a folder. */
export const profileMigrations: readonly Migration[] = [
  {
    version: 10,
    name: 'profile',
    up: (database) => {
      database.exec(`
CREATE TABLE trust (
    path        TEXT PRIMARY KEY,        -- real path
    trusted_at  TEXT NOT NULL
);
CREATE TABLE app_config (
    key         TEXT PRIMARY KEY,
    value       TEXT NOT NULL,           -- JSON
    category    TEXT NOT NULL,
    updated_at  TEXT NOT NULL
);
CREATE TABLE recent_workspaces (
    path        TEXT PRIMARY KEY,
    opened_at   TEXT NOT NULL
);
CREATE TABLE providers (
    provider    TEXT PRIMARY KEY,
    base_url    TEXT NOT NULL,
    updated_at  TEXT NOT NULL
);
-- The newest audit hash of each session, so that a chain rewritten as a whole is noticed as well.
CREATE TABLE audit_heads (
    workspace   TEXT NOT NULL,
    session_id  TEXT NOT NULL,
    log_seq     INTEGER NOT NULL,
    hash        TEXT NOT NULL,
    PRIMARY KEY (workspace, session_id)
);
`)
    },
  },
  {
    version: 20,
    name: 'grants',
    up: (database) => {
      database.exec(`
-- What the person allowed for good. A number is never used again, so that a late removal cannot hit another one.
CREATE TABLE grants (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace   TEXT NOT NULL,           -- real path
    folder      TEXT NOT NULL,           -- identity of that folder on its disk
    tool        TEXT NOT NULL,
    prefix      TEXT NOT NULL,
    sandbox     TEXT NOT NULL CHECK(sandbox IN ('auto', 'off')),
    granted_at  TEXT NOT NULL,
    expires_at  TEXT NOT NULL,
    UNIQUE (workspace, folder, tool, prefix, sandbox)
);
`)
    },
  },
  {
    version: 30,
    name: 'model-accounts',
    up: (database) => {
      database.exec(`
-- What the reports of each model taught the estimate of its prompts.
CREATE TABLE model_accounts (
    provider    TEXT NOT NULL,
    model       TEXT NOT NULL,
    json        TEXT NOT NULL,
    updated_at  TEXT NOT NULL,
    PRIMARY KEY (provider, model)
);
`)
    },
  },
  {
    version: 40,
    name: 'mcp-approvals',
    up: (database) => {
      database.exec(`
-- What the person agreed to: which server may start in which folder, and what of it the model may see.
CREATE TABLE mcp_approvals (
    workspace   TEXT NOT NULL,           -- real path
    server_id   TEXT NOT NULL,
    approval    TEXT NOT NULL,           -- JSON
    updated_at  TEXT NOT NULL,
    PRIMARY KEY (workspace, server_id)
);
`)
    },
  },
  {
    version: 50,
    name: 'mcp-approvals-folder',
    up: (database) => {
      // Those given before are for no folder that can be told: they are asked for again.
      database.exec(`
ALTER TABLE mcp_approvals ADD COLUMN folder TEXT NOT NULL DEFAULT '';  -- identity of that folder on its disk
`)
    },
  },
  {
    version: 60,
    name: 'agreed-texts',
    up: (database) => {
      database.exec(`
-- Files that speak to the model in the person's name, as the person agreed to them.
CREATE TABLE agreed_texts (
    workspace   TEXT NOT NULL,           -- real path
    name        TEXT NOT NULL,           -- relative, with /
    hash        TEXT NOT NULL,           -- SHA-256 of the text
    text        TEXT NOT NULL,
    kept        TEXT,                    -- hash of a later text that is not wanted
    updated_at  TEXT NOT NULL,
    PRIMARY KEY (workspace, name)
);
ALTER TABLE trust ADD COLUMN files_agreed_at TEXT;  -- what was there by then is agreed to
`)
    },
  },
  {
    version: 70,
    name: 'page-state',
    up: (database) => {
      database.exec(`
-- What the page keeps for the person: drafts, what was read. Nothing in it decides what may happen.
CREATE TABLE page_state (
    key         TEXT PRIMARY KEY,
    value       TEXT NOT NULL,
    updated_at  TEXT NOT NULL
);
`)
    },
  },
  {
    version: 80,
    name: 'pinned-memories',
    up: (database) => {
      database.exec(`
-- What the person pinned: a memory that came with its folder cannot say that of itself.
CREATE TABLE pinned_memories (
    workspace   TEXT NOT NULL,           -- real path
    id          TEXT NOT NULL,
    hash        TEXT NOT NULL,           -- SHA-256 of the text it had then
    updated_at  TEXT NOT NULL,
    PRIMARY KEY (workspace, id)
);
`)
    },
  },
]
