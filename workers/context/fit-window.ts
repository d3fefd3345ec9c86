/** Keeps a request within the window without asking anybody: one batch of old results first, then the digest. */
import type { CompactionRecord } from '#contracts/context/compaction.ts'
import { NEW_GUARD } from './domain/loop-guard.ts'
import { planPrune } from './domain/plan-prune.ts'
import type { TokenBudget } from './domain/token-budget.ts'
import { compactNow } from './compact-session.ts'
import type { Estimate } from './estimate.ts'
import { estimateSession, limitOf } from './estimate-session.ts'
import type { ModelAccounts } from './model-accounts.ts'
import type { SessionContext } from './session-context.ts'
import { forgetCarriers, viewSession, type SessionView } from './session-view.ts'

const PRUNE_RATIO = 0.6

export type Fitted =
  | { readonly kind: 'fits'; readonly view: SessionView; readonly estimate: Estimate; readonly compaction: CompactionRecord | undefined }
  | { readonly kind: 'irreducible'; readonly view: SessionView; readonly tokens: number }

export async function fitWindow(session: SessionContext, accounts: ModelAccounts, budget: TokenBudget): Promise<Fitted> {
  let view = viewSession(session)
  let estimate = await estimateSession(session, accounts, view.messages)
  let compaction: CompactionRecord | undefined
  const look = async (): Promise<void> => {
    view = viewSession(session)
    estimate = await estimateSession(session, accounts, view.messages)
  }
  const prune = async (): Promise<void> => {
    const record = estimate.tokens < budget.budget * PRUNE_RATIO ? undefined : pruneSession(session, estimate, budget)
    if (record === undefined) return
    compaction = compaction === undefined ? record : { ...compaction, tokensAfter: record.tokensAfter, state: record.state }
    await look()
  }
  await prune()
  if (estimate.tokens <= limitOf(session, accounts, budget.inputLimit)) return { kind: 'fits', view, estimate, compaction }

  const options = { carryOver: [], automatic: true }
  let result = compactNow(session, accounts, { ...options, overflow: false })
  // The last report says it does not fit although our own count does: then it is too large all the same.
  if (result.kind === 'nothing') result = compactNow(session, accounts, { ...options, overflow: true })
  if (result.kind !== 'applied') return { kind: 'irreducible', view, tokens: Math.max(estimate.tokens, result.tokens) }
  compaction = result.record
  await look()
  // What is left may hold results worth pruning; done now, the next build finds nothing more to do.
  await prune()
  return { kind: 'fits', view, estimate, compaction }
}

/** One batch per compaction cycle, so that the cached prefix is lost once. */
function pruneSession(session: SessionContext, estimate: Estimate, budget: TokenBudget): CompactionRecord | undefined {
  const { state, input } = session
  if (input === undefined) return undefined
  const from = state?.summary === undefined ? 0 : state.keptFrom
  if (state !== undefined && state.prunedBefore > from) return undefined
  const meter = session.meter(input.model.provider, input.model.id)
  const plan = planPrune(session.history, from, budget.budget, (message) => meter.message(session.form(message, 'whole')))
  if (plan === undefined) return undefined
  session.state = {
    ...(state ?? { method: 'prune' as const, keptFrom: 0, shrunk: {}, guard: NEW_GUARD }),
    method: state?.summary === undefined ? 'prune' : state.method,
    prunedBefore: plan.prunedBefore,
  }
  forgetCarriers(session)
  return {
    summary: '',
    method: 'prune',
    tokensBefore: estimate.tokens,
    tokensAfter: Math.max(0, estimate.tokens - plan.saved),
    state: session.state,
  }
}
