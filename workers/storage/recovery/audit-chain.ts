import type { Database } from 'better-sqlite3'
import type { DoctorReport } from '#contracts/storage/doctor-report.ts'
import { auditHash } from '../projection/audit-row.ts'
import type { AuditRow } from '../projection/rows.ts'
import { FIRST_HASH } from '../projection/session-fold.ts'

type Difference = DoctorReport['differences'][number]
type ChainRow = { readonly [Column in keyof AuditRow]: AuditRow[Column] | null } & { readonly id: number; readonly json: string | null }

/**
 * Computes every audit row's hash again from the row and its event, along each session's chain, and compares the
 * chain's end with what the profile remembers of it: a chain that was rewritten or cut as a whole does not end there.
 */
export function checkAuditChain(database: Database, heads: readonly { sessionId: string; logSeq: number; hash: string }[]): Difference[] {
  const differences: Difference[] = []
  const rows = database
    .prepare<[], ChainRow>(
      `SELECT audit_logs.*, session_events.json FROM audit_logs
       LEFT JOIN session_events ON session_events.session_id = audit_logs.session_id AND session_events.seq = audit_logs.log_seq
       ORDER BY audit_logs.session_id, audit_logs.log_seq`,
    )
    .iterate()
  const expected = new Map(heads.map((head) => [head.sessionId, head]))
  let session = ''
  let previous = FIRST_HASH
  for (const row of rows) {
    if (row.session_id !== session) {
      session = row.session_id ?? ''
      previous = FIRST_HASH
    }
    const fault = faultOf(row, previous)
    if (fault !== undefined)
      differences.push({
        kind: 'audit_chain',
        sessionId: session,
        ...(row.log_seq === null ? {} : { seq: row.log_seq }),
        message: `audit row ${row.id}: ${fault}`,
      })
    previous = row.hash ?? ''
    const head = expected.get(session)
    if (head !== undefined && row.log_seq === head.logSeq) {
      expected.delete(session)
      if (row.hash !== head.hash)
        differences.push({
          kind: 'audit_head',
          sessionId: session,
          seq: head.logSeq,
          message: `audit row ${row.id} is not the one the profile remembers`,
        })
    }
  }
  for (const head of expected.values())
    differences.push({
      kind: 'audit_head',
      sessionId: head.sessionId,
      seq: head.logSeq,
      message: `the audit row at ${head.logSeq}, which the profile remembers, is gone`,
    })
  return differences
}

function faultOf(row: ChainRow, previous: string): string | undefined {
  if (row.log_seq === null || row.hash === null || row.json === null) return 'belongs to no event'
  if (row.prev_hash !== previous) return 'does not follow the row before it'
  const { hash: _hash, id: _id, json, ...fields } = row
  return auditHash(fields as Omit<AuditRow, 'hash'>, json) === row.hash ? undefined : 'was changed'
}
