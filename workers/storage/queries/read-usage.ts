import type { Database } from 'better-sqlite3'
import type { UsageEntry, UsageQuery } from '#contracts/storage/usage.ts'
import { statement } from './statement.ts'

interface UsageSums {
  readonly day: string
  readonly session_id: string
  readonly title: string
  readonly provider: string
  readonly model: string
  readonly currency: string | null
  readonly requests: number
  readonly input: number
  readonly hit: number
  readonly write: number
  readonly output: number
  readonly reasoning: number
  readonly total: number | null
  readonly hit_cost: number | null
  readonly miss_cost: number | null
  readonly write_cost: number | null
  readonly output_cost: number | null
}

/** The parts of a price are in the event only: the table has its sum. */
const SQL = `
SELECT substr(datetime(usage.ts, ?), 1, 10) AS day, usage.session_id, sessions.title, provider, usage.model, currency,
  count(*) AS requests, sum(input_tokens) AS input, sum(coalesce(cache_hit_tokens, 0)) AS hit,
  sum(coalesce(cache_write_tokens, 0)) AS write, sum(output_tokens) AS output, sum(coalesce(reasoning_tokens, 0)) AS reasoning,
  sum(cost) AS total,
  sum(session_events.json ->> '$.cost.cacheHit') AS hit_cost, sum(session_events.json ->> '$.cost.cacheMiss') AS miss_cost,
  sum(session_events.json ->> '$.cost.cacheWrite') AS write_cost, sum(session_events.json ->> '$.cost.output') AS output_cost
FROM usage
JOIN session_events ON session_events.session_id = usage.session_id AND session_events.seq = usage.seq
JOIN sessions ON sessions.session_id = usage.session_id
WHERE usage.ts >= ? AND usage.total_tokens > 0
GROUP BY day, usage.session_id, provider, usage.model, currency
ORDER BY day DESC, usage.session_id, provider, usage.model, currency`

/** Newest day first. Requests whose price is not known are rows of their own, without a cost. */
export function readUsage(database: Database, workspace: string, { from, offsetMinutes }: UsageQuery): UsageEntry[] {
  const rows = statement<[string, string], UsageSums>(database, SQL).all(`${offsetMinutes} minutes`, from ?? '')
  return rows.map((row) => ({
    workspace,
    day: row.day,
    sessionId: row.session_id,
    title: row.title,
    provider: row.provider,
    model: row.model,
    requests: row.requests,
    inputTokens: row.input,
    cacheHitTokens: row.hit,
    cacheWriteTokens: row.write,
    outputTokens: row.output,
    reasoningTokens: row.reasoning,
    ...(row.currency === null || row.total === null
      ? {}
      : {
          cost: {
            currency: row.currency,
            cacheHit: row.hit_cost ?? 0,
            cacheMiss: row.miss_cost ?? 0,
            cacheWrite: row.write_cost ?? 0,
            output: row.output_cost ?? 0,
            total: row.total,
          },
        }),
  }))
}
