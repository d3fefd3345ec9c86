/** Runs a turn of a live session: gives `run-turn` its ports, each a thin call to the worker that does the work. */
import { randomBytes } from 'node:crypto'
import type { ModelTarget } from '#contracts/llm/llm-service.ts'
import type { MetonaModelInfo } from '#contracts/metona/metona-adapter.ts'
import type { ToolDescriptor, ToolPlace } from '#contracts/tools/tools-service.ts'
import { AppError, toErrorData } from '#contracts/wire/app-error.ts'
import { REDACTED_MARK } from '#workers/shared/redact.ts'
import { commitCompaction, compactSession, wholeHistory } from './compact-session.ts'
import { mapFailure } from './domain/map-failure.ts'
import { runTurn } from './domain/run-turn.ts'
import { traceJson } from './domain/trace.ts'
import type { BuiltRequest, TurnPorts, TurnSettings } from './domain/turn-ports.ts'
import { addGrant, hasGrant } from './grants.ts'
import { keep } from './keep.ts'
import type { LiveSession } from './live-session.ts'
import { newId } from './new-id.ts'
import { prepareTool, runTool } from './run-tool.ts'
import type { Services } from './services.ts'
import { storedBaseUrl } from './stored-base-url.ts'
import { streamModel } from './stream-model.ts'

export interface TurnConfig {
  readonly maxIterations: number
  readonly approvalTimeoutMs: number
  readonly thinkingEnabled: boolean
  readonly maxTokens: number | undefined
  readonly temperature: number | undefined
  readonly traces: boolean
  /** The person's own ceiling for input tokens. */
  readonly contextBudget: number | undefined
  readonly approval: TurnSettings['approval']
}

/** Never rejects: what cannot be committed is reported and ends the session in memory. */
export async function runSessionTurn(
  services: Services,
  session: LiveSession,
  config: TurnConfig,
  input: { turn: number; userInput: string; signal: AbortSignal },
): Promise<void> {
  const { provider, model } = splitModel(session.snapshot.model)
  const baseUrl = session.effectiveBaseUrl ?? (await keptBaseUrl(services, provider))
  const target: ModelTarget = { provider, model, ...(baseUrl === undefined ? {} : { baseUrl }) }
  const place = (): ToolPlace => ({ workspace: session.workspace, sessionId: session.sessionId, sandbox: session.snapshot.sandbox })
  const traceId = randomBytes(16).toString('hex')
  let tools: ToolDescriptor[] = []
  let modelInfo: MetonaModelInfo | undefined

  const buildOnce = async (iteration: number, userInput: string): Promise<BuiltRequest> => {
    if (baseUrl?.includes(REDACTED_MARK) === true)
      throw new AppError({
        code: 'BASE_URL_INCOMPLETE',
        message: 'the base URL of this session held a key or password, which is not stored; give it again',
      })
    modelInfo ??= (await services.llm.ask((llm) => llm.describeModel({ target }))).model
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
        ...(from === 0 ? wholeHistory(session) : {}),
        ...(held === undefined ? {} : { heldRequestId: held.requestId }),
        ...(config.contextBudget === undefined ? {} : { contextBudget: config.contextBudget }),
        tools: modelInfo.supportsToolCalling ? tools.map((tool) => tool.definition) : [],
        iteration,
        userInput,
        ...(session.snapshot.taskGoal === undefined ? {} : { taskGoal: session.snapshot.taskGoal }),
        thinkingEnabled: config.thinkingEnabled && modelInfo.supportsThinking,
        now: Date.now(),
      },
      () => ({ from: 0, messages, ...wholeHistory(session) }),
      input.signal,
    )
    session.contextCursor = messages.length
    const kept = held?.messages.slice(0, built.kept ?? 0) ?? []
    const whole = [...kept, ...built.request.messages]
    session.held = { requestId: built.request.meta.requestId, messages: whole }
    for (const count of built.counts ?? []) session.counts.set(count.messageId, count)
    if (built.compaction !== undefined) await commitCompaction(session, built.compaction, input.turn)
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
      alreadyLogged: session.loggedMessages,
    }
  }

  const ports: TurnPorts = {
    commit: async (drafts) => {
      const startedAt = performance.now()
      await session.commit(drafts)
      services.meter.committed(session.sessionId, performance.now() - startedAt)
    },
    show: (delta) => session.show(delta),
    buildContext: async ({ iteration, userInput }) => {
      const built = await buildOnce(iteration, userInput)
      if (!built.needsCompression) return built
      const step = await compactSession({ services, session, target, reason: 'automatic', signal: input.signal, turn: input.turn })
      return step.kind === 'applied' ? buildOnce(iteration, userInput) : built
    },
    cutHistory: async () =>
      (await compactSession({ services, session, target, reason: 'overflow', signal: input.signal, turn: input.turn })).kind === 'applied',
    stream: async (built, options) => {
      const outcome = await streamModel({
        services,
        session,
        target,
        built,
        messageId: options.messageId,
        onBatch: options.onBatch,
        turn: input.turn,
        signal: input.signal,
      })
      // Without a report the estimate stays as it is; nothing waits for it.
      if (outcome.response.usage.inputTokens > 0)
        keep(
          services,
          'report',
          services.pool.run(session.sessionId, 'report', {
            sessionId: session.sessionId,
            requestId: built.request.meta.requestId,
            usage: outcome.response.usage,
          }),
        )
      return outcome
    },
    prepareTool: (call) => prepareTool(services, place(), call),
    runTool: (call, argumentsHash, { onLive, answer }) =>
      runTool(services, place(), { call, argumentsHash, ...(answer === undefined ? {} : { answer }) }, onLive, input.signal),
    waitForApproval: (request) => session.approvals.ask(request, config.approvalTimeoutMs, input.signal),
    permission: () => session.snapshot.permission,
    hasGrant: (grant) => hasGrant(services, session, grant),
    addGrant: (grant, scope) => addGrant(services, session, grant, scope),
    steering: () =>
      session.snapshot.queue
        .filter((message) => message.steering)
        .map((message) => ({ messageId: message.messageId, content: message.content, images: session.imagesOf(message.messageId) })),
    noticed: (code) => session.noticed.has(code),
    writeTrace: (iteration, trace) => {
      services.meter.iteration(session.sessionId, trace.spans)
      if (!config.traces) return
      const json = traceJson(trace, {
        sessionId: session.sessionId,
        turn: input.turn,
        agentVersion: services.context.data.agentVersion,
        traceId,
        newSpanId: () => randomBytes(8).toString('hex'),
      })
      keep(
        services,
        'trace',
        services.storage
          .client()
          .then((storage) =>
            storage.writeTrace({ workspace: session.workspace, name: `trace_${session.sessionId}_${input.turn}_${iteration}.json`, json }),
          ),
      )
    },
    now: () => Date.now(),
    monotonic: () => performance.now(),
    newId,
  }

  try {
    tools = await services.toolList.get()
    await runTurn(
      {
        sessionId: session.sessionId,
        turn: input.turn,
        provider,
        model,
        interactive: session.interactive,
        maxIterations: session.snapshot.maxIterations ?? config.maxIterations,
        timeoutMs: session.timeoutMs,
        userInput: input.userInput,
        tools,
        approval: config.approval,
      },
      ports,
      input.signal,
    )
    keep(
      services,
      'log',
      services.storage.client().then((storage) => storage.syncLog({ workspace: session.workspace, sessionId: session.sessionId })),
    )
  } catch (thrown) {
    await endBrokenTurn(services, session, input.turn, thrown)
  }
}

/** Without the list a turn can still run, at the provider's own address. */
async function keptBaseUrl(services: Services, provider: string): Promise<string | undefined> {
  try {
    return await storedBaseUrl(services, provider)
  } catch (thrown) {
    services.context.log('warn', `base URL of ${provider}: ${toErrorData(thrown).message}`)
    return undefined
  }
}

export function splitModel(model: string): { provider: string; model: string } {
  const slash = model.indexOf('/')
  return slash < 0 ? { provider: model, model: '' } : { provider: model.slice(0, slash), model: model.slice(slash + 1) }
}

/** A turn that could not even be written down. If storage still takes anything, the transcript says so. */
export async function endBrokenTurn(services: Services, session: LiveSession, turn: number, thrown: unknown): Promise<void> {
  const error = mapFailure(toErrorData(thrown))
  services.context.log('error', `turn ${turn} of ${session.sessionId} broke: ${error.message}`)
  if (session.failure !== undefined) return
  try {
    await session.commit([{ event: 'turn_end', reason: 'failed', iterations: session.snapshot.iteration, durationMs: 0, error, turn }])
  } catch (again) {
    services.context.log('error', `its end could not be written: ${toErrorData(again).message}`)
  }
}
