import type { Migration } from './migration.ts'
import { specTables } from './010-spec-tables.ts'
import { widerSpecTables } from './020-wider-spec-tables.ts'
import { sessions } from './030-sessions.ts'
import { tokenCounts } from './040-token-counts.ts'
import { memories } from './060-memories.ts'
import { memoryIndex } from './070-memory-index.ts'

/** Schema of a workspace's `agent.db`, in order. */
export const agentMigrations: readonly Migration[] = [specTables, widerSpecTables, sessions, tokenCounts, memories, memoryIndex]
