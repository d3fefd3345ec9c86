/**
 * The context thread: a Piscina pool of one, its tasks are this file's exports. Light to start: no schema
 * library, no tokenizer until a count is needed.
 */
import { threadId } from 'node:worker_threads'
import type { ApplySummaryInput, CompactionStep, PlanCompactionInput } from '#contracts/context/compaction.ts'
import type { BuildOutput, BuildTask } from '#contracts/context/context-tasks.ts'
import type { ReportInput, ReportOutput } from '#contracts/context/token-report.ts'
import type { ThreadHealth } from '#contracts/health/thread-health.ts'
import { startMetering, threadHealth } from '#workers/shared/metering/thread-meter.ts'
import { buildRequest } from './build-request.ts'
import * as compaction from './compact-session.ts'
import type { ContextParts } from '#contracts/context/context-parts.ts'
import { readParts } from './read-parts.ts'
import { ModelAccounts } from './model-accounts.ts'
import { reportUsage } from './report-usage.ts'
import { SessionContext } from './session-context.ts'
import { scheduleExactCounts } from './upgrade-counts.ts'

startMetering('context')
const sessions = new Map<string, SessionContext>()
const accounts = new ModelAccounts()

/** The request and the context of one iteration. */
export async function build(input: BuildTask): Promise<BuildOutput> {
  let session = sessions.get(input.sessionId)
  if (session === undefined || input.from === 0) {
    if (input.from > 0) return { ok: false, reason: 'unknown_session' }
    session = new SessionContext(input)
    if (input.account !== undefined) accounts.takeOver(input.account)
    sessions.set(input.sessionId, session)
  }
  if (input.from > session.history.length) return { ok: false, reason: 'unknown_session' }
  const output = await buildRequest(session, input, accounts, threadId)
  if (output.ok) scheduleExactCounts(session, output.context.budgetRatio ?? 0)
  return output
}

/** After an answer with usage. */
export function report(input: ReportInput): ReportOutput {
  return reportUsage(sessions.get(input.sessionId), input, accounts)
}

/** When a build said `needsCompression`, the person asked, or the provider refused the length. */
export async function planCompaction(input: PlanCompactionInput): Promise<CompactionStep> {
  const session = sessions.get(input.sessionId)
  return session === undefined ? { kind: 'unknown_session' } : compaction.planCompaction(session, input, accounts)
}

/** The answer to an `ask_model` step. */
export function applySummary(input: ApplySummaryInput): CompactionStep {
  const session = sessions.get(input.sessionId)
  return session === undefined ? { kind: 'unknown_session' } : compaction.applySummary(session, input, accounts)
}

/** What the next request consists of. */
export function parts(input: { sessionId: string }): { parts?: ContextParts } {
  const found = readParts(sessions.get(input.sessionId))
  return found === undefined ? {} : { parts: found }
}

/** Drops what is held of a session. */
export function forget(input: { sessionId: string }): { known: boolean } {
  return { known: sessions.delete(input.sessionId) }
}

export function health(): ThreadHealth {
  return threadHealth()
}

export function ping(): { threadId: number } {
  return { threadId }
}
