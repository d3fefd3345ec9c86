/** What is recorded in `logs/workspace.jsonl`: changes that belong to no session, so that a rebuild has them too. */
import * as z from 'zod'
import { MemoryEntrySchema } from '#contracts/metona/memory-entry.ts'
import { McpServerEntrySchema } from '#contracts/tools/mcp-entry.ts'

/** A memory as it is logged: whole, so that the last record of an id says all. `position` is its place among its session's memories. */
const StoredMemorySchema = MemoryEntrySchema.omit({ relevanceScore: true }).extend({ position: z.number().int().min(0).optional() })
export type StoredMemory = z.infer<typeof StoredMemorySchema>

const head = <const E extends string>(event: E) => ({ seq: z.number().int().min(0), ts: z.string(), event: z.literal(event) })

export const WorkspaceRecordSchema = z.discriminatedUnion('event', [
  /** The first one. The id tells this workspace from another that stands in its place later. */
  z.object({ ...head('workspace_created'), workspaceId: z.string() }),
  z.object({ ...head('config_set'), key: z.string(), value: z.string(), category: z.string() }),
  z.object({ ...head('mcp_set'), server: McpServerEntrySchema }),
  z.object({ ...head('mcp_removed'), id: z.string() }),
  z.object({ ...head('memory_set'), item: StoredMemorySchema }),
  z.object({ ...head('memory_removed'), ids: z.array(z.string()), reason: z.enum(['deleted', 'expired', 'task_ended']) }),
  /** `lastSeq`, number of audit rows and the last hash stay on record after the session is gone. */
  z.object({
    ...head('session_deleted'),
    sessionId: z.string(),
    lastSeq: z.number().int(),
    auditRows: z.number().int(),
    auditHash: z.string(),
  }),
])
export type WorkspaceRecord = z.infer<typeof WorkspaceRecordSchema>
type DistributedOmit<T> = T extends WorkspaceRecord ? Omit<T, 'seq' | 'ts'> : never
/** What a caller supplies; the writer adds number and time. */
export type WorkspaceRecordDraft = DistributedOmit<WorkspaceRecord>
