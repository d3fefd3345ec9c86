/** Builds a session's request in its context thread, with all that the thread has to be given. */
import type { ModelTarget } from '#contracts/llm/llm-service.ts'
import type { MetonaModelInfo } from '#contracts/metona/metona-adapter.ts'
import type { ToolDescriptor } from '#contracts/tools/prepared-call.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { REDACTED_MARK } from '#workers/shared/redact.ts'
import { commitCompaction, wholeHistory } from './compact-session.ts'
import type { BuiltRequest } from './domain/turn-ports.ts'
import { judgeFiles } from './judge-files.ts'
import type { LiveSession } from './live-session.ts'
import { newId } from './new-id.ts'
import type { Services } from './services.ts'
import { frozenMemories, memoriesForTurn } from './turn-memories.ts'

export interface BuildSettings {
  readonly thinkingEnabled: boolean
  readonly maxTokens: number | undefined
  readonly temperature: number | undefined
  /** The person's own ceiling for input tokens. */
  readonly contextBudget: number | undefined
}

export interface BuildOrder {
  readonly services: Services
  readonly session: LiveSession
  readonly target: ModelTarget
  readonly config: BuildSettings
  readonly signal: AbortSignal
  readonly turn?: number
}

export type ContextBuilder = (tools: readonly ToolDescriptor[], iteration: number, userInput: string) => Promise<BuiltRequest>

/** The model is described once; each call builds the request of one iteration. */
export function contextBuilder({ services, session, target, config, signal, turn }: BuildOrder): ContextBuilder {
  const { provider, model, baseUrl } = target
  let modelInfo: MetonaModelInfo | undefined
  return async (tools, iteration, userInput) => {
    if (baseUrl?.includes(REDACTED_MARK) === true)
      throw new AppError({
        code: 'BASE_URL_INCOMPLETE',
        message: 'the base URL of this session held a key or password, which is not stored; give it again',
      })
    const [described, account, remembered] = await Promise.all([
      modelInfo ?? services.llm.ask((llm) => llm.describeModel({ target })).then((answer) => answer.model),
      services.tokens.accountOf(provider, model),
      memoriesForTurn(services, session),
    ])
    modelInfo = described
    const known = account === undefined ? {} : { account }
    const messages = [...session.messages]
    const from = session.contextCursor
    const { held } = session
    // Whatever becomes of this build: only after a good one the thread has these messages.
    session.contextCursor = 0
    const built = await services.pool.build(
      {
        sessionId: session.sessionId,
        requestId: newId('r'),
        agentVersion: services.context.data.agentVersion,
        workspace: session.workspace,
        model: { provider, id: model, contextWindow: modelInfo.contextWindow, maxOutput: modelInfo.maxOutput },
        from,
        messages: messages.slice(from),
        ...(from === 0 ? { ...wholeHistory(session), ...known, verdicts: [...services.agreements.of(session.workspace)] } : {}),
        ...(held === undefined ? {} : { heldRequestId: held.requestId }),
        ...(config.contextBudget === undefined ? {} : { contextBudget: config.contextBudget }),
        tools: modelInfo.supportsToolCalling ? tools.map((tool) => tool.definition) : [],
        iteration,
        userInput,
        agreements: services.agreements.answers,
        ...(session.snapshot.taskGoal === undefined ? {} : { taskGoal: session.snapshot.taskGoal }),
        ...(remembered === undefined || remembered.hits.length === 0 ? {} : { memories: remembered.hits }),
        thinkingEnabled: config.thinkingEnabled && modelInfo.supportsThinking,
        now: Date.now(),
      },
      () => ({ from: 0, messages, ...wholeHistory(session), ...known }),
      (files) => judgeFiles(session, files, services.agreements),
      signal,
    )
    session.contextCursor = messages.length
    const kept = held?.messages.slice(0, built.kept ?? 0) ?? []
    const whole = [...kept, ...built.request.messages]
    session.held = {
      requestId: built.request.meta.requestId,
      messages: whole,
      request: built.request,
      tokens: built.context.estimatedTokens,
    }
    session.addCounts(built.counts ?? [])
    if (built.compaction !== undefined) await commitCompaction(session, built.compaction, turn)
    const params = {
      ...built.request.params,
      ...(config.maxTokens === undefined ? {} : { maxTokens: config.maxTokens }),
      ...(config.temperature === undefined ? {} : { temperature: config.temperature }),
    }
    const { context } = built
    return {
      request: { ...built.request, messages: whole, params, meta: { ...built.request.meta, model } },
      tokens: context.estimatedTokens,
      ratio: context.usageRatio,
      budgetRatio: context.budgetRatio,
      needsCompression: context.needsCompression,
      contextWindow: modelInfo.contextWindow,
      messagesHash: built.messagesHash,
      notes: built.notes,
      turnContexts: built.turnContexts ?? [],
      memories: frozenMemories(remembered, built.turnContexts ?? []),
      alreadyLogged: session.loggedMessages,
    }
  }
}
