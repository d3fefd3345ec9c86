import type { Migration } from './migration.ts'

/** The three tables of the architecture document, word for word. Later migrations extend them. */
export const specTables: Migration = {
  version: 10,
  name: 'spec-tables',
  up: (database) => {
    database.exec(`
CREATE TABLE app_config (
    key         TEXT PRIMARY KEY,
    value       TEXT NOT NULL,        -- JSON 格式值
    category    TEXT NOT NULL,        -- llm | agent | tools | security | logging | mcp
    updated_at  TEXT DEFAULT (datetime('now'))
);

-- 配置分类索引
CREATE INDEX idx_config_category ON app_config(category);

CREATE TABLE mcp_servers (
    id          TEXT PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    transport   TEXT CHECK(transport IN ('stdio', 'sse')),
    command     TEXT,                    -- stdio 模式的命令
    args        TEXT,                    -- JSON 数组格式的参数
    url         TEXT,                    -- SSE 模式的 URL
    enabled     BOOLEAN DEFAULT TRUE,
    created_at  TEXT DEFAULT (datetime('now')),
    updated_at  TEXT DEFAULT (datetime('now'))
);

CREATE TABLE audit_logs (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id  TEXT NOT NULL,         -- 会话 ID
    iteration   INTEGER,                 -- ReAct 迭代轮次
    event_type  TEXT NOT NULL,         -- tool_call | permission_check | error | llm_request | llm_response
    actor       TEXT NOT NULL,         -- 'agent' | 'user' | 'system'
    target      TEXT NOT NULL,         -- 操作对象 (工具名 / 模块名)
    details     TEXT,                    -- JSON 格式详细信息
    outcome     TEXT,                    -- 'success' | 'denied' | 'error'
    duration_ms INTEGER,                 -- 耗时
    created_at  TEXT DEFAULT (datetime('now'))
);
`)
  },
}
