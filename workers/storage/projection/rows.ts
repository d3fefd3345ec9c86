/** Rows as they stand in the tables, in column order. Comparing a table with its projection compares these. */

export interface EventRow {
  readonly session_id: string
  readonly seq: number
  readonly event_id: string
  readonly event: string
  readonly turn: number | null
  readonly ts: string
  readonly json: string
}

export interface SessionRow {
  readonly session_id: string
  readonly workspace: string
  readonly title: string
  readonly model: string
  readonly pinned: number
  readonly archived: number
  readonly state: string
  readonly since: string
  readonly activity: string | null
  readonly turn: number
  readonly last_seq: number
  readonly created_at: string
  readonly updated_at: string
  readonly open_turn: number
  readonly fold: string
}

export interface MessageRow {
  readonly session_id: string
  readonly seq: number
  readonly turn: number | null
  readonly iteration: number | null
  readonly role: 'user' | 'assistant' | 'tool' | 'system'
  readonly message_id: string | null
  readonly content: string
  readonly ts: string
}

export interface AuditRow {
  readonly session_id: string
  readonly iteration: number | null
  readonly event_type: string
  readonly actor: 'agent' | 'user' | 'system'
  readonly target: string
  readonly details: string
  readonly outcome: 'success' | 'denied' | 'error' | null
  readonly duration_ms: number | null
  readonly created_at: string
  readonly log_seq: number
  readonly prev_hash: string
  readonly hash: string
}

export interface UsageRow {
  readonly session_id: string
  readonly seq: number
  readonly turn: number | null
  readonly iteration: number | null
  readonly provider: string
  readonly model: string
  readonly input_tokens: number
  readonly output_tokens: number
  readonly total_tokens: number
  readonly cache_hit_tokens: number | null
  readonly cache_miss_tokens: number | null
  readonly cache_write_tokens: number | null
  readonly reasoning_tokens: number | null
  readonly currency: string | null
  readonly cost: number | null
  readonly duration_ms: number | null
  readonly first_token_ms: number | null
  readonly queued_ms: number | null
  readonly ts: string
}

export interface QueuedRow {
  readonly session_id: string
  readonly message_id: string
  readonly seq: number
  readonly content: string
  readonly steering: number
  readonly ts: string
}

export interface RecallRow {
  readonly memory_id: string
  readonly session_id: string
  readonly seq: number
  readonly turn: number | null
  readonly score: number
  readonly words: string
  readonly ts: string
}

/** What one event adds. `dequeued` names a message that leaves the queue. */
export interface ProjectedRows {
  readonly message?: MessageRow
  readonly audit?: AuditRow
  readonly usage?: UsageRow
  readonly queued?: QueuedRow
  readonly dequeued?: string
  readonly recalls?: readonly RecallRow[]
}
