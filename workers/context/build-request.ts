/** One build: append, freeze, assemble, mend, count, keep within the window, hash. */
import type { CompactionRecord } from '#contracts/context/compaction.ts'
import type { BuildOutput, BuildTask } from '#contracts/context/context-tasks.ts'
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import { fitState } from './domain/assemble-history.ts'
import { irreducible, largestParts } from './domain/largest-parts.ts'
import { NEW_GUARD } from './domain/loop-guard.ts'
import { planPrune } from './domain/plan-prune.ts'
import { promptTexts } from './domain/prompt-texts.ts'
import { stableTools } from './domain/stable-tools.ts'
import type { TokenBudget } from './domain/token-budget.ts'
import { compactNow } from './compact-session.ts'
import { estimateRequest, isAnchored, type Estimate } from './estimate.ts'
import { freezeFolderRules } from './freeze-rules.ts'
import { freezePrompt, freezeTurns, noticeChanges } from './freeze-turn.ts'
import type { ModelAccounts } from './model-accounts.ts'
import type { SessionContext } from './session-context.ts'
import { budgetOf, forgetCarriers, viewSession } from './session-view.ts'

const COMPRESS_RATIO = 0.8
const PRUNE_RATIO = 0.6
/** New text beside which a scanner's error would show: this much of the whole, and at least so many tokens. */
const NEWS_SHARE = 0.06
const NEWS_TOKENS = 150

export async function buildRequest(session: SessionContext, input: BuildTask, accounts: ModelAccounts, threadId: number): Promise<BuildOutput> {
  const notes: string[] = []
  append(session, input)
  if (session.frozen === undefined || session.renewPrompt) notes.push(...(await freezePrompt(session, input.userInput)))
  else if (session.history.at(-1)?.role === 'user') await noticeChanges(session)
  const frozen = session.frozen
  if (frozen === undefined) throw new Error('the system prompt was not made')
  const texts = promptTexts[frozen.language]
  const turnContexts = [...freezeTurns(session, input), ...(await freezeFolderRules(session, input))]
  session.tools = stableTools(input.tools, session.tools)
  session.input = input

  const budget = budgetOf(session, input)
  const meter = session.meter(input.model.provider, input.model.id)
  let view = viewSession(session)
  let estimate = await estimateView(session, accounts, view.messages)
  let compaction: CompactionRecord | undefined
  if (estimate.tokens >= budget.budget * PRUNE_RATIO) {
    const record = pruneSession(session, estimate, budget)
    if (record !== undefined) {
      compaction = record
      view = viewSession(session)
      estimate = await estimateView(session, accounts, view.messages)
    }
  }
  if (estimate.tokens > budget.inputLimit) {
    if (await meter.load()) {
      meter.upgrade(view.messages, Infinity, () => 0)
      estimate = await estimateView(session, accounts, view.messages)
    }
    if (estimate.tokens > budget.inputLimit) {
      const outcome = compactNow(session, accounts, { overflow: false, carryOver: [], automatic: true })
      if (outcome.kind !== 'applied') {
        const parts = largestParts({ systemPrompt: frozen.systemPrompt, tools: meter.tools(session.tools), messages: view.messages, tokensOf: meter.message, count: meter.text })
        return { ok: false, reason: 'irreducible', ...irreducible(outcome.kind === 'irreducible' ? outcome.tokens : estimate.tokens, budget.inputLimit, parts, frozen.language) }
      }
      compaction = outcome.record
      notes.push(texts.cutToFit(outcome.record.tokensBefore, outcome.record.tokensAfter))
      view = viewSession(session)
      estimate = await estimateView(session, accounts, view.messages)
    }
  }
  if (view.mended > 0) notes.push(texts.repaired(view.mended))
  const fixed = meter.fixed(frozen.systemPrompt, session.tools)
  if (input.from === 0 && fixed > budget.budget / 2) notes.push(texts.heavyPrompt(fixed, budget.budget))

  const budgetRatio = estimate.tokens / budget.budget
  session.sent = { requestId: input.requestId, provider: input.model.provider, model: input.model.id, frozen, tools: session.tools, messages: view.messages, counted: estimate.counted, estimated: estimate.tokens, anchored: estimate.anchored }
  const counts = meter.takeNews()
  return {
    ok: true,
    request: {
      meta: { sessionId: input.sessionId, iteration: input.iteration, requestId: input.requestId, timestamp: input.now, agentVersion: input.agentVersion, model: input.model.id },
      systemPrompt: frozen.systemPrompt,
      messages: view.messages,
      ...(session.tools.tools.length === 0 ? {} : { tools: [...session.tools.tools] }),
      params: { stream: true, thinkingEnabled: input.thinkingEnabled },
    },
    context: {
      id: `c_${input.requestId}`,
      sessionId: input.sessionId,
      systemPrompt: frozen.systemPrompt,
      relevantMemories: input.memories ?? [],
      currentTask: { userInput: input.userInput, iteration: input.iteration, ...(input.taskGoal === undefined ? {} : { taskGoal: input.taskGoal }) },
      estimatedTokens: estimate.tokens,
      usageRatio: estimate.tokens / budget.window,
      needsCompression: budgetRatio >= COMPRESS_RATIO,
      budgetRatio,
    },
    messagesHash: session.hash.digest(view.messages),
    notes,
    ...(turnContexts.length === 0 ? {} : { turnContexts }),
    ...(compaction === undefined ? {} : { compaction }),
    ...(counts.length === 0 ? {} : { counts }),
    threadId,
  }
}

function append(session: SessionContext, input: BuildTask): void {
  if (input.from < session.history.length) session.history.length = input.from
  for (const message of input.messages) session.history.push(normalise(message))
  if (input.from === 0 && input.compaction !== undefined) session.state = input.compaction
  if (session.state !== undefined) session.state = fitState(session.state, session.history)
}

async function estimateView(session: SessionContext, accounts: ModelAccounts, messages: readonly MetonaMessage[]): Promise<Estimate> {
  const { input, frozen, tools } = session
  if (input === undefined || frozen === undefined || tools === undefined) throw new Error('nothing was built yet')
  const { provider, id } = input.model
  const meter = session.meter(provider, id)
  const account = accounts.of(provider, id)
  const anchor = isAnchored(session.anchor, provider, id, frozen, tools, messages) ? session.anchor : undefined
  // Another tool set has another overhead; what was learned with the old one would mislead.
  const calibration = account.toolsSignature === undefined || account.toolsSignature === tools.signature ? account.calibration : { offset: 0, slope: account.calibration.slope }
  const take = (): Estimate => estimateRequest(meter, anchor, meter.isExact ? { offset: calibration.offset, slope: 1 } : calibration, meter.fixed(frozen.systemPrompt, tools), messages)
  let estimate = take()
  if (meter.family.exact !== undefined && anchor !== undefined) {
    const news = estimate.news.reduce((sum, message) => sum + (meter.hasExact(message) ? 0 : meter.message(message)), 0)
    if (news > NEWS_TOKENS && news > estimate.tokens * NEWS_SHARE) {
      await meter.load()
      meter.upgradeNew(estimate.news)
      estimate = take()
    }
  }
  return estimate
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
  session.state = { ...(state ?? { method: 'prune' as const, keptFrom: 0, shrunk: {}, guard: NEW_GUARD }), method: state?.summary === undefined ? 'prune' : state.method, prunedBefore: plan.prunedBefore }
  forgetCarriers(session)
  return { summary: '', method: 'prune', tokensBefore: estimate.tokens, tokensAfter: Math.max(0, estimate.tokens - plan.saved), state: session.state }
}

/** A call without a time takes its message's, as the contract's schema does it. */
function normalise(message: MetonaMessage): MetonaMessage {
  const calls = message.toolCalls as (Omit<NonNullable<MetonaMessage['toolCalls']>[number], 'timestamp'> & { timestamp?: number })[] | undefined
  if (calls === undefined || calls.every((call) => call.timestamp !== undefined)) return message
  return { ...message, toolCalls: calls.map((call) => ({ ...call, timestamp: call.timestamp ?? message.timestamp })) }
}
