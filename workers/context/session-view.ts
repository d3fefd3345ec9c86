/** What a session would send now. */
import type { BuildTask } from '#contracts/context/context-tasks.ts'
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import { assembleHistory } from './domain/assemble-history.ts'
import { messageKey } from './domain/message-text.ts'
import { repairPairs } from './domain/repair-pairs.ts'
import { computeBudget, type TokenBudget } from './domain/token-budget.ts'
import type { SessionContext } from './session-context.ts'

export interface SessionView {
  readonly messages: MetonaMessage[]
  readonly mended: number
}

/** The messages as they would be sent now. */
export function viewSession(session: SessionContext): SessionView {
  const { messages, report } = repairPairs(assembleHistory(session.history, session.state, session.form, session.summary))
  return { messages: [...messages], mended: report.missingResults + report.orphanResults + report.duplicates + report.moved }
}

export function budgetOf(session: SessionContext, input: BuildTask): TokenBudget {
  const refused =
    session.ceiling?.provider === input.model.provider && session.ceiling.model === input.model.id ? session.ceiling.tokens : Infinity
  const ceiling = Math.min(input.contextBudget ?? Infinity, refused)
  return computeBudget(input.model, ceiling === Infinity ? undefined : ceiling)
}

/** Folder rules whose message is no longer sent whole are read again when the folder is touched again. */
export function forgetCarriers(session: SessionContext): void {
  const sent = new Set<string>()
  for (const message of assembleHistory(
    session.history,
    session.state,
    (raw, form) => (form === 'whole' ? session.form(raw, 'whole') : raw),
    session.summary,
  )) {
    const key = messageKey(message)
    if (key !== undefined && message.toolResult !== undefined) sent.add(key)
  }
  const pruned = session.state?.prunedBefore ?? 0
  for (const [file, carrier] of session.folderRules) {
    const at = session.history.findIndex((message) => messageKey(message) === carrier)
    if (!sent.has(carrier) || at < pruned) session.folderRules.delete(file)
  }
}
