/** Compaction of a session: the tasks around the pure `compactHistory`. */
import type {
  ApplySummaryInput,
  CompactionRecord,
  CompactionState,
  CompactionStep,
  PlanCompactionInput,
} from '#contracts/context/compaction.ts'
import type { MetonaRequest } from '#contracts/metona/metona-request.ts'
import { assembleHistory } from './domain/assemble-history.ts'
import { estimateWhole } from './domain/calibrate.ts'
import { compactHistory } from './domain/compact-history.ts'
import { irreducible, largestParts } from './domain/largest-parts.ts'
import { guardAfter, guardNow, mayCompact } from './domain/loop-guard.ts'
import { messageKey } from './domain/message-text.ts'
import { promptTexts } from './domain/prompt-texts.ts'
import { repairPairs } from './domain/repair-pairs.ts'
import { isUsableSummary, SUMMARY_OUTPUT_TOKENS, suffixInstruction, transcriptText } from './domain/summary-request.ts'
import { summaryTexts } from './domain/summary-texts.ts'
import { limitOf } from './estimate-session.ts'
import type { ModelAccounts } from './model-accounts.ts'
import type { PendingPlan, SessionContext } from './session-context.ts'
import { budgetOf, forgetCarriers, viewSession } from './session-view.ts'

export interface CompactOptions {
  readonly overflow: boolean
  readonly carryOver: readonly string[]
  /** Counts for the loop guard. */
  readonly automatic: boolean
  readonly modelSummary?: string
}

export type CompactResult =
  | { kind: 'applied'; record: CompactionRecord }
  | { kind: 'nothing'; tokens: number }
  | { kind: 'irreducible'; tokens: number; limit: number }

/** Compacts without asking anybody: with the given summary, else with the digest. In force at once when applied. */
export function compactNow(session: SessionContext, accounts: ModelAccounts, options: CompactOptions): CompactResult {
  const result = tryCompact(session, accounts, options)
  if (result.kind === 'applied') takeState(session, result.record.state)
  return result
}

/** First step of a compaction. The exact counter is loaded for it, so that the same history is always cut alike. */
export async function planCompaction(session: SessionContext, task: PlanCompactionInput, accounts: ModelAccounts): Promise<CompactionStep> {
  const { input, frozen } = session
  if (input === undefined || frozen === undefined) return { kind: 'unknown_session' }
  const texts = promptTexts[frozen.language]
  const meter = session.meter(input.model.provider, input.model.id)
  if (await meter.load()) meter.upgrade(viewSession(session).messages, Infinity, () => 0)
  const carryOver = task.carryOver ?? []
  if (task.reason === 'overflow') {
    const tokens = Math.max(1_000, Math.floor(Math.min(budgetOf(session, input).budget, session.sent?.estimated ?? Infinity) * 0.9))
    session.ceiling = { provider: input.model.provider, model: input.model.id, tokens }
    return stepOf(session, compactNow(session, accounts, { overflow: true, carryOver, automatic: true }))
  }
  if (task.reason === 'automatic' && !mayCompact(guardNow(session.state?.guard, userMessages(session))))
    return { kind: 'stopped', message: texts.compactionStopped }
  // A model is asked only when the result would be accepted.
  const rehearsal = tryCompact(session, accounts, { overflow: false, carryOver, automatic: task.reason === 'automatic' })
  if (rehearsal.kind !== 'applied') return stepOf(session, rehearsal)
  const plan: PendingPlan = {
    planId: task.requestId,
    mode: 'suffix',
    reason: task.reason,
    instructions: task.instructions,
    carryOver,
    now: task.now,
  }
  const request = suffixRequest(session, plan, rehearsal.record.tokensBefore)
  return ask(
    session,
    request === undefined ? { ...plan, mode: 'separate' } : plan,
    request ?? separateRequest(session, plan),
    rehearsal.record.tokensBefore,
  )
}

/** The model's answer, or its absence. A bad answer is asked for once more in another way, then the digest stands in. */
export function applySummary(session: SessionContext, task: ApplySummaryInput, accounts: ModelAccounts): CompactionStep {
  const { plan, frozen } = session
  if (plan === undefined || frozen === undefined || plan.planId !== task.planId) return { kind: 'unknown_session' }
  session.plan = undefined
  const options = { overflow: false, carryOver: plan.carryOver, automatic: plan.reason === 'automatic' }
  const answer = task.response
  if (answer !== undefined && isUsableSummary(answer, frozen.language)) {
    const result = compactNow(session, accounts, { ...options, modelSummary: answer.content.trim() })
    if (result.kind === 'applied') return stepOf(session, result)
  } else if (answer !== undefined && plan.mode === 'suffix' && answer.finishReason !== 'error' && answer.finishReason !== 'aborted') {
    return ask(session, { ...plan, mode: 'separate' }, separateRequest(session, plan), session.sent?.estimated ?? 0)
  }
  return stepOf(session, compactNow(session, accounts, options))
}

function tryCompact(session: SessionContext, accounts: ModelAccounts, options: CompactOptions): CompactResult {
  const { input, frozen, tools, state } = session
  if (input === undefined || frozen === undefined || tools === undefined) return { kind: 'nothing', tokens: 0 }
  const meter = session.meter(input.model.provider, input.model.id)
  const calibration = accounts.of(input.model.provider, input.model.id)
  const whole = budgetOf(session, input)
  const inputLimit = limitOf(session, accounts, whole.inputLimit)
  const budget = { ...whole, inputLimit, budget: Math.min(whole.budget, inputLimit) }
  const fixed = meter.fixed(frozen.systemPrompt, tools)
  const measure = (candidate: CompactionState | undefined): number => {
    const { messages } = repairPairs(assembleHistory(session.history, candidate, session.form, session.summary))
    meter.upgrade(messages, Infinity, () => 0)
    let counted = fixed
    for (const message of messages) counted += meter.message(message)
    return estimateWhole(counted, meter.isExact ? { offset: calibration.offset, slope: 1 } : calibration)
  }
  const outcome = compactHistory({
    history: session.history,
    state,
    language: frozen.language,
    carryOver: options.carryOver,
    budget,
    overflow: options.overflow,
    measure,
    tokensOf: (message) => meter.message(session.form(message, 'whole')),
    count: meter.text,
    ...(options.modelSummary === undefined ? {} : { modelSummary: options.modelSummary }),
    ...(input.taskGoal === undefined ? {} : { taskGoal: input.taskGoal }),
  })
  if (outcome.kind !== 'applied') return outcome
  const guard = guardNow(state?.guard, userMessages(session))
  const ratio = outcome.tokensAfter / budget.budget
  const next: CompactionState = {
    ...outcome.state,
    guard: options.automatic ? guardAfter(guard, session.history.length - session.compactedAt, ratio) : guard,
  }
  const replaced = next.summary === undefined ? undefined : session.history[next.keptFrom - 1]
  const upToId = replaced === undefined ? undefined : messageKey(replaced)
  return {
    kind: 'applied',
    record: {
      summary: next.summary ?? '',
      method: next.method,
      tokensBefore: outcome.tokensBefore,
      tokensAfter: outcome.tokensAfter,
      state: next,
      ...(upToId === undefined ? {} : { upToId }),
    },
  }
}

/** From the next build on; the files of the workspace are read anew then, as at the start of a session. */
function takeState(session: SessionContext, state: CompactionState): void {
  session.state = state
  session.compactedAt = session.history.length
  session.anchor = undefined
  session.plan = undefined
  session.renewPrompt = true
  forgetCarriers(session)
}

function stepOf(session: SessionContext, result: CompactResult): CompactionStep {
  const { input, frozen, tools } = session
  const texts = promptTexts[frozen?.language ?? 'en']
  switch (result.kind) {
    case 'applied':
      return { kind: 'applied', record: result.record, notes: [texts.compacted(result.record.tokensBefore, result.record.tokensAfter)] }
    case 'nothing':
      return { kind: 'nothing', message: texts.nothingToCompact }
    case 'irreducible': {
      if (input === undefined || frozen === undefined || tools === undefined) return { kind: 'unknown_session' }
      const meter = session.meter(input.model.provider, input.model.id)
      const parts = largestParts({
        systemPrompt: frozen.systemPrompt,
        tools: meter.tools(tools),
        messages: viewSession(session).messages,
        tokensOf: meter.message,
        count: meter.text,
      })
      return { kind: 'irreducible', ...irreducible(result.tokens, result.limit, parts, frozen.language) }
    }
  }
}

function ask(session: SessionContext, plan: PendingPlan, request: MetonaRequest, tokensBefore: number): CompactionStep {
  session.plan = plan
  return { kind: 'ask_model', planId: plan.planId, mode: plan.mode, request, tokensBefore }
}

/** The live conversation and one instruction: the provider's cache holds all but the last message. Undefined when it would not fit. */
function suffixRequest(session: SessionContext, plan: PendingPlan, tokens: number): MetonaRequest | undefined {
  const { input, frozen, tools } = session
  if (input === undefined || frozen === undefined || tools === undefined) return undefined
  const { messages } = viewSession(session)
  const instruction = suffixInstruction(
    frozen.language,
    plan.instructions,
    session.state?.core !== undefined,
    messages.at(-1)?.timestamp ?? plan.now,
  )
  const meter = session.meter(input.model.provider, input.model.id)
  const output = summaryOutput(session)
  if (tokens + meter.message(instruction) + output > budgetOf(session, input).window * 0.98) return undefined
  return {
    meta: metaOf(session, plan),
    systemPrompt: frozen.systemPrompt,
    messages: [...messages, instruction],
    ...(tools.tools.length === 0 ? {} : { tools: [...tools.tools] }),
    params: { stream: true, thinkingEnabled: false, maxTokens: output },
  }
}

function separateRequest(session: SessionContext, plan: PendingPlan): MetonaRequest {
  const { input, frozen } = session
  if (input === undefined || frozen === undefined) throw new Error('nothing was built yet')
  const texts = summaryTexts[frozen.language]
  const meter = session.meter(input.model.provider, input.model.id)
  const instruction = suffixInstruction(frozen.language, plan.instructions, session.state?.core !== undefined, plan.now)
  const room = budgetOf(session, input).inputLimit - summaryOutput(session) - meter.message(instruction) - 500
  const transcript = transcriptText(viewSession(session).messages, Math.max(500, Math.floor(room * 0.9)), meter.text)
  return {
    meta: metaOf(session, plan),
    systemPrompt: { roleDefinition: texts.separateSystem, outputConstraints: '', safetyGuidelines: '' },
    messages: [
      { ...instruction, content: `${texts.transcriptTitle}\n<transcript>\n${transcript}\n</transcript>\n\n${instruction.content}` },
    ],
    params: { stream: true, thinkingEnabled: false, maxTokens: summaryOutput(session) },
  }
}

/** Small windows leave less room for a summary. */
function summaryOutput(session: SessionContext): number {
  const window = session.input?.model.contextWindow ?? 0
  const most = session.input?.model.maxOutput ?? 0
  return Math.max(
    256,
    Math.min(SUMMARY_OUTPUT_TOKENS, most > 0 ? most : SUMMARY_OUTPUT_TOKENS, window > 0 ? Math.floor(window / 8) : SUMMARY_OUTPUT_TOKENS),
  )
}

function metaOf(session: SessionContext, plan: PendingPlan): MetonaRequest['meta'] {
  return {
    sessionId: session.sessionId,
    iteration: session.input?.iteration ?? 0,
    requestId: plan.planId,
    timestamp: plan.now,
    agentVersion: session.input?.agentVersion ?? '',
    model: session.input?.model.id ?? '',
  }
}

function userMessages(session: SessionContext): number {
  let count = 0
  for (const message of session.history) if (message.role === 'user') count++
  return count
}
