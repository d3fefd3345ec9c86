import { closeSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { findLastLine, readLines } from '../logs/log-file.ts'
import { WORKSPACE_KEY } from '../logs/log-keeper.ts'
import { WORKSPACE_LOG } from '../logs/log-names.ts'
import { inTransaction } from '../migrate.ts'
import { lastRecordSeq, parseRecordLine, storeRecord, storeUnknownRecord } from '../queries/workspace-records.ts'
import { openOrPutAside, type ReconcileCounts, type ReconcileParts } from './reconcile-parts.ts'
import { cutTornEnd } from './reconcile-session.ts'

/** The same for what belongs to no session; first, since it says which sessions were deleted. */
export function reconcileWorkspaceLog(parts: ReconcileParts, counts: ReconcileCounts): void {
  const { database, keeper } = parts
  const stored = lastRecordSeq(database)
  const present = lstatSync(join(parts.layout.logs, WORKSPACE_LOG), { throwIfNoEntry: false }) !== undefined
  const fd = present ? openOrPutAside(parts, counts, WORKSPACE_LOG) : undefined
  if (fd === undefined) {
    if (stored < 0 || keeper === undefined) return
    keeper.complete(WORKSPACE_KEY)
    if (!present) counts.appended += stored + 1
    return
  }
  try {
    const { line } = findLastLine(fd, (text) => parseRecordLine(text) !== undefined)
    const end = line?.end ?? 0
    const torn = cutTornEnd(parts, counts, fd, WORKSPACE_LOG, end)
    const logged = line === undefined ? -1 : (parseRecordLine(line.text)?.seq ?? -1)
    if (logged > stored) insertRecords(parts, counts, fd, stored)
    keeper?.adopt(WORKSPACE_KEY, WORKSPACE_LOG, logged, end)
    if (logged < stored && keeper !== undefined) {
      keeper.complete(WORKSPACE_KEY)
      if (!torn) counts.appended += stored - logged
    }
  } finally {
    closeSync(fd)
  }
}

function insertRecords(parts: ReconcileParts, counts: ReconcileCounts, fd: number, stored: number): void {
  inTransaction(parts.database, () => {
    let last = stored
    let number = 0
    for (const line of readLines(fd)) {
      number++
      if (!line.complete) break
      const parsed = parseRecordLine(line.text)
      if (parsed === undefined) counts.unreadable.push(`${WORKSPACE_LOG}:${number}`)
      if (parsed === undefined || parsed.seq <= last) continue
      if (parsed.seq > last + 1) counts.gaps.push(`workspace/${last + 1}`)
      last = parsed.seq
      counts.inserted++
      if (parsed.record === undefined) storeUnknownRecord(parts.database, parsed, line.text)
      else storeRecord(parts.database, parsed.record, line.text)
      // A snapshot may be older than the deletion.
      if (parsed.record?.event === 'session_deleted') parts.writer.forget(parsed.record.sessionId)
    }
  })
}
