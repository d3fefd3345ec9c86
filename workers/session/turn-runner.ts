/** Runs a turn of a live session: gives `run-turn` its ports, each a thin call to the worker that does the work. */
import { randomBytes } from 'node:crypto'
import { LlmBatchSchema, type ModelTarget } from '#contracts/llm/llm-service.ts'
import type { MetonaModelInfo } from '#contracts/metona/metona-adapter.ts'
import type { MetonaResponse } from '#contracts/metona/metona-response.ts'
import type { MetonaToolCall } from '#contracts/metona/metona-tool.ts'
import { ToolLiveSchema, type ToolDescriptor, type ToolPlace } from '#contracts/tools/tools-service.ts'
import { toErrorData, WireErrorCode, type AppErrorData } from '#contracts/wire/app-error.ts'
import type { Port } from '#contracts/wire/port.ts'
import { mapFailure } from './domain/map-failure.ts'
import { runTurn } from './domain/run-turn.ts'
import { traceJson } from './domain/trace.ts'
import type { BuiltRequest, StreamOutcome, ToolRun, TurnPorts } from './domain/turn-ports.ts'
import type { LiveSession } from './live-session.ts'
import { newId } from './new-id.ts'
import { commitCompaction, compactSession, wholeHistory } from './compact-session.ts'
import { PartialKeeper } from './partial-keeper.ts'
import type { Services } from './services.ts'

/** After Stop: how long to wait for a closed socket, and for a dead process tree, in milliseconds. */
const STREAM_GRACE_MS = 2_000
const TOOL_GRACE_MS = 5_000

/** Batches of a stream between two acknowledgements; the llm worker waits when 64 are out. */
const ACK_EVERY = 16

export interface TurnConfig {
  readonly maxIterations: number
  readonly approvalTimeoutMs: number
  readonly thinkingEnabled: boolean
  readonly maxTokens: number | undefined
  readonly temperature: number | undefined
  readonly traces: boolean
}

/** Never rejects: what cannot be committed is reported and ends the session in memory. */
export async function runSessionTurn(
  services: Services,
  session: LiveSession,
  config: TurnConfig,
  input: { turn: number; userInput: string; signal: AbortSignal },
): Promise<void> {
  const { provider, model } = splitModel(session.snapshot.model)
  const baseUrl = session.snapshot.baseUrl
  const target: ModelTarget = { provider, model, ...(baseUrl === undefined ? {} : { baseUrl }) }
  const place: ToolPlace = { workspace: session.workspace, sessionId: session.sessionId, sandbox: session.snapshot.sandbox }
  const traceId = randomBytes(16).toString('hex')
  let tools: ToolDescriptor[] = []
  let modelInfo: MetonaModelInfo | undefined

  const buildOnce = async (iteration: number, userInput: string): Promise<BuiltRequest> => {
    modelInfo ??= (await (await services.llm.client()).describeModel({ target })).model
    const messages = [...session.messages]
    const built = await services.pool.build(
      {
        sessionId: session.sessionId,
        requestId: newId('r'),
        agentVersion: services.context.data.agentVersion,
        workspace: session.workspace,
        model: { provider, id: model, contextWindow: modelInfo.contextWindow, maxOutput: modelInfo.maxOutput },
        from: session.contextCursor,
        messages: messages.slice(session.contextCursor),
        ...(session.contextCursor === 0 ? wholeHistory(session) : {}),
        tools: modelInfo.supportsToolCalling ? tools.map((tool) => tool.definition) : [],
        iteration,
        userInput,
        ...(session.snapshot.taskGoal === undefined ? {} : { taskGoal: session.snapshot.taskGoal }),
        thinkingEnabled: config.thinkingEnabled && modelInfo.supportsThinking,
        now: Date.now(),
      },
      () => ({ from: 0, messages, ...wholeHistory(session) }),
    )
    session.contextCursor = messages.length
    for (const count of built.counts ?? []) session.counts.set(count.messageId, count)
    if (built.compaction !== undefined) await commitCompaction(session, built.compaction, input.turn)
    const params = {
      ...built.request.params,
      ...(config.maxTokens === undefined ? {} : { maxTokens: config.maxTokens }),
      ...(config.temperature === undefined ? {} : { temperature: config.temperature }),
    }
    const { context } = built
    return {
      request: { ...built.request, params, meta: { ...built.request.meta, model } },
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
    commit: async (drafts) => void (await session.commit(drafts)),
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
      const outcome = await streamModel(services, session, target, built, { ...options, turn: input.turn, abort: input.signal })
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
    prepareTool: async (call) => {
      try {
        return await (await services.tools.client()).prepare({ place, call })
      } catch (thrown) {
        return { ok: false, result: toolFailure(call, toErrorData(thrown)) }
      }
    },
    runTool: (call, argumentsHash, { onLive, answer }) =>
      runTool(services, place, { call, argumentsHash, ...(answer === undefined ? {} : { answer }) }, onLive, input.signal),
    waitForApproval: (request) => session.approvals.ask(request, config.approvalTimeoutMs, input.signal),
    hasGrant: (tool, prefix) => session.grants.has(`${tool}\n${prefix}`),
    addGrant: (tool, prefix) => void session.grants.add(`${tool}\n${prefix}`),
    steering: () =>
      session.snapshot.queue
        .filter((message) => message.steering)
        .map((message) => ({ messageId: message.messageId, content: message.content, images: session.imagesOf(message.messageId) })),
    writeTrace: (iteration, trace) => {
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
        permission: session.snapshot.permission,
        interactive: session.interactive,
        maxIterations: session.snapshot.maxIterations ?? config.maxIterations,
        timeoutMs: session.timeoutMs,
        userInput: input.userInput,
        tools,
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

export function splitModel(model: string): { provider: string; model: string } {
  const slash = model.indexOf('/')
  return slash < 0 ? { provider: model, model: '' } : { provider: model.slice(0, slash), model: model.slice(slash + 1) }
}

/** Side work whose failure must not end a turn; it is logged. */
function keep(services: Services, what: string, work: Promise<unknown>): void {
  work.catch((error: unknown) => services.context.log('warn', `${what}: ${toErrorData(error).message}`))
}

/** A turn that could not even be written down. If storage still takes anything, the transcript says so. */
async function endBrokenTurn(services: Services, session: LiveSession, turn: number, thrown: unknown): Promise<void> {
  const error = mapFailure(toErrorData(thrown))
  services.context.log('error', `turn ${turn} of ${session.sessionId} broke: ${error.message}`)
  if (session.failure !== undefined) return
  try {
    await session.commit([{ event: 'turn_end', reason: 'failed', iterations: session.snapshot.iteration, durationMs: 0, error, turn }])
  } catch (again) {
    services.context.log('error', `its end could not be written: ${toErrorData(again).message}`)
  }
}

async function streamModel(
  services: Services,
  session: LiveSession,
  target: ModelTarget,
  built: BuiltRequest,
  options: Parameters<TurnPorts['stream']>[1] & { turn: number; abort: AbortSignal },
): Promise<StreamOutcome> {
  const channel = new MessageChannel()
  const port = channel.port1 as unknown as Port
  const partial = new PartialKeeper(
    { sessionId: session.sessionId, messageId: options.messageId, turn: options.turn, iteration: built.request.meta.iteration },
    (text) =>
      keep(
        services,
        'partial',
        services.storage.client().then((storage) => storage.savePartial({ workspace: session.workspace, partial: text })),
      ),
  )
  const startedAt = performance.now()
  const drained = new Promise<void>((resolve) => port.addEventListener('close', () => resolve()))
  let posts = 0
  port.addEventListener('message', ({ data }) => {
    const batch = LlmBatchSchema.parse(data)
    posts += 1
    // A session that cannot keep up lets the provider's socket fill up instead of its own memory.
    if (posts % ACK_EVERY === 0) port.postMessage({ ack: posts })
    if ('events' in batch) for (const event of batch.events) partial.take(event)
    options.onBatch(batch)
  })
  port.start()
  // A request that offers commands will need the command host: have it up before the first call.
  if ((built.request.tools?.length ?? 0) > 0)
    keep(
      services,
      'tools',
      services.tools.client().then((tools) => tools.warm({})),
    )
  try {
    const llm = await services.llm.client()
    const answer = await llm.stream(
      { target, request: built.request, port: channel.port2 as unknown as Port },
      { signal: options.abort, graceMs: STREAM_GRACE_MS },
    )
    // The answer and the batches travel on two ports: what was streamed is shown before the answer counts.
    await drained
    return { response: answer.response, cost: answer.cost, queuedMs: answer.queuedMs, socketClosedMs: answer.socketClosedMs }
  } catch (thrown) {
    const error = toErrorData(thrown)
    return {
      response: cutResponse(target, built, partial, error, performance.now() - startedAt, options.abort.aborted),
      cost: undefined,
      queuedMs: 0,
      socketClosedMs: undefined,
    }
  } finally {
    partial.stop()
    port.close()
  }
}

/** The llm worker died or did not let go: what was streamed so far is kept, the turn can be retried. */
function cutResponse(
  target: ModelTarget,
  built: BuiltRequest,
  partial: PartialKeeper,
  error: AppErrorData,
  latencyMs: number,
  aborted: boolean,
): MetonaResponse {
  return {
    meta: { requestId: built.request.meta.requestId, provider: target.provider, model: target.model, latencyMs, timestamp: Date.now() },
    content: partial.text,
    ...(partial.thinking === ''
      ? {}
      : { thinking: { content: partial.thinking, status: 'complete', durationMs: latencyMs, tokensUsed: 0 } }),
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    finishReason: aborted ? 'aborted' : 'error',
    error: { ...mapFailure(error), provider: target.provider },
  }
}

async function runTool(
  services: Services,
  place: ToolPlace,
  order: { call: MetonaToolCall; argumentsHash: string; answer?: string },
  onLive: Parameters<TurnPorts['runTool']>[2]['onLive'],
  signal: AbortSignal,
): Promise<ToolRun> {
  const channel = new MessageChannel()
  const port = channel.port1 as unknown as Port
  port.addEventListener('message', ({ data }) => onLive(ToolLiveSchema.parse(data)))
  port.start()
  try {
    const tools = await services.tools.client()
    const run = await tools.run({ place, ...order, port: channel.port2 as unknown as Port }, { signal, graceMs: TOOL_GRACE_MS })
    return {
      result: run.result,
      outcome: signal.aborted && run.outcome !== 'ok' ? 'aborted' : run.outcome,
      display: run.display,
      stop: run.stop,
    }
  } catch (thrown) {
    const error = toErrorData(thrown)
    // The tool may have done its work before its worker died: nobody knows, and it is not run again.
    const outcome = error.code === WireErrorCode.WORKER_LOST || error.code === WireErrorCode.CALL_CANCELLED ? 'unknown' : 'error'
    return { result: toolFailure(order.call, error), outcome, display: undefined, stop: undefined }
  } finally {
    port.close()
  }
}

function toolFailure(call: MetonaToolCall, error: AppErrorData): ToolRun['result'] {
  const lost = error.code === WireErrorCode.WORKER_LOST
  const message = lost
    ? `The tool worker ended while ${call.name} ran. Whether it took effect is unknown. Look before doing it again.`
    : `${call.name} failed: ${error.message}`
  return {
    toolCallId: call.id,
    toolName: call.name,
    result: null,
    summary: message,
    success: false,
    error: message,
    durationMs: 0,
    timestamp: Date.now(),
  }
}
