/**
 * One turn, from an accepted user message to its end: build a request, stream the answer, run the tools it
 * asks for, again. Plain control flow; every effect is in `ports`. Never rejects for reasons of model, tool
 * or context: those are the end reason. It rejects only when a commit is impossible, because then nothing
 * may be shown either.
 */
import type { AbortSignalLike } from '#contracts/metona/metona-adapter.ts'
import { MetonaErrorCode, type MetonaError, type MetonaResponse, type MetonaUsage } from '#contracts/metona/metona-response.ts'
import { addCost, type Cost } from '#contracts/session/cost.ts'
import type { EndReason, TurnPhase } from '#contracts/session/session-enums.ts'
import type { SessionEventDraft } from '#contracts/session/session-event.ts'
import { AppError, toErrorData } from '#contracts/wire/app-error.ts'
import { createLoopGuard } from './loop-guard.ts'
import { mapFailure } from './map-failure.ts'
import { runToolCalls } from './run-tool-calls.ts'
import { spendingEnd } from './spending-limits.ts'
import { modelSpan, noticeDrafts, responseDraft, stopDraft } from './turn-drafts.ts'
import type { BuiltRequest, IterationTrace, StreamOutcome, ToolStop, TraceSpan, TurnPorts, TurnSettings } from './turn-ports.ts'

export interface TurnEnd {
  readonly reason: EndReason
  readonly iterations: number
  readonly error?: MetonaError
  readonly detail?: string
}

interface TurnTotals {
  usage: MetonaUsage
  costs: Cost[]
}

/** What ended the turn from outside; read from the abort signal's reason. */
function endByAbort(signal: AbortSignalLike): Omit<TurnEnd, 'iterations'> {
  const reason = signal.reason instanceof AppError ? signal.reason : undefined
  if (reason?.code === 'TURN_TIMEOUT') return { reason: 'limit_reached', detail: 'timeout', error: mapFailure(reason.toData()) }
  return { reason: 'aborted' }
}

/** @returns how the turn ended; `turn_end` is already committed then. */
export async function runTurn(settings: TurnSettings, ports: TurnPorts, signal: AbortSignalLike): Promise<TurnEnd> {
  const startedAt = ports.monotonic()
  const totals: TurnTotals = { usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 }, costs: [] }
  const stops: { socketClosedMs?: number; tools: ToolStop[] } = { tools: [] }
  const showPhase = (phase: TurnPhase): void => ports.show({ delta: 'phase', phase, turn: settings.turn, since: ports.now() })
  const guard = createLoopGuard()
  let cutForLength = false
  let iteration = 0
  let end: Omit<TurnEnd, 'iterations'> | undefined
  /** Outcomes of the iteration before on their way to the disk, while the next request is being built. */
  let settling: Promise<unknown> | undefined
  /** Written once the next request is out: nobody waits for a trace. */
  let writeTrace = (): void => undefined

  while (end === undefined) {
    if (signal.aborted) {
      end = endByAbort(signal)
      break
    }
    if (iteration >= settings.maxIterations) {
      end = {
        reason: 'limit_reached',
        detail: 'max_iterations',
        error: mapFailure({ code: 'MAX_ITERATIONS', message: `the turn reached its limit of ${settings.maxIterations} model requests` }),
      }
      break
    }
    const spent = spendingEnd(settings.limits, settings.spentBefore, ports.spent())
    if (spent !== undefined) {
      end = { reason: 'limit_reached', detail: spent.detail, error: mapFailure(spent.error) }
      break
    }
    iteration += 1
    const spans: TraceSpan[] = []
    const iterationStart = ports.monotonic()
    const steered = commitSteering(ports, settings.turn)
    const building = buildRequest(settings, ports, iteration, spans, signal)
    await Promise.all([settling, steered])
    showPhase('preparing')
    const built = await building
    if ('error' in built) {
      end = signal.aborted ? endByAbort(signal) : { reason: 'failed', error: built.error }
      break
    }
    const { messages } = built.request
    const added = built.alreadyLogged > messages.length ? messages : messages.slice(built.alreadyLogged)
    await ports.commit([
      {
        event: 'context_built',
        tokens: built.tokens,
        ratio: built.ratio,
        iteration,
        ...(built.budgetRatio === undefined ? {} : { budgetRatio: built.budgetRatio }),
        needsCompression: built.needsCompression,
        window: built.contextWindow,
        ...(built.notes.length === 0 ? {} : { notes: built.notes }),
        ...(built.turnContexts.length === 0 ? {} : { turnContexts: built.turnContexts }),
        ...(built.memories.length === 0 ? {} : { memories: built.memories }),
        turn: settings.turn,
      },
      { event: 'iteration_start', iteration, turn: settings.turn },
      {
        event: 'llm_request',
        iteration,
        provider: settings.provider,
        model: settings.model,
        messages: added,
        requestId: built.request.meta.requestId,
        messageCount: built.request.messages.length,
        messagesHash: built.messagesHash,
        turn: settings.turn,
      },
    ])

    const messageId = ports.newId('m')
    const streamStart = ports.monotonic()
    const streaming = ports.stream(built, {
      messageId,
      signal,
      onBatch: (batch) => {
        if ('events' in batch) for (const event of batch.events) ports.show({ delta: 'stream', messageId, iteration, event })
        else if ('queue' in batch) ports.show({ delta: 'quota', ...batch.queue })
        else ports.show({ delta: 'retry', ...batch.retry })
      },
    })
    writeTrace()
    const outcome = await streaming
    const streamEnd = ports.monotonic()
    if (outcome.queuedMs > 0)
      spans.push({
        name: `queue ${settings.provider}`,
        kind: 'queue',
        startedAt: streamStart,
        endedAt: streamStart + outcome.queuedMs,
        attributes: {},
      })
    spans.push(modelSpan(settings, built, outcome, streamStart + outcome.queuedMs, streamEnd))
    if (outcome.socketClosedMs !== undefined) stops.socketClosedMs = outcome.socketClosedMs
    addTotals(totals, outcome)

    const { response } = outcome
    const usable = response.finishReason !== 'error' && response.finishReason !== 'aborted'
    const calls = usable ? (response.toolCalls ?? []) : []
    const responseEvent = responseDraft(settings, built, outcome, messageId, iteration, streamEnd - streamStart, calls)
    const told: SessionEventDraft[] = [responseEvent, ...noticeDrafts(response, ports, settings.turn)]
    const endIteration = (): SessionEventDraft => ({
      event: 'iteration_end',
      iteration,
      durationMs: Math.round(ports.monotonic() - iterationStart),
      turn: settings.turn,
    })

    if (calls.length === 0) {
      await ports.commit([...told, endIteration()])
      // One more try with a shorter history, then the refusal stands.
      const tooLong: boolean = response.error?.code === MetonaErrorCode.CONTEXT_LENGTH_EXCEEDED && response.content === '' && !cutForLength
      cutForLength ||= tooLong
      if (!tooLong || !(await ports.cutHistory(signal))) end = endOfAnswer(response, signal)
    } else {
      const step = await runToolCalls({
        settings,
        ports,
        signal,
        iteration,
        calls,
        spans,
        guard,
        commitAnswer: () => ports.commit(told),
      })
      stops.tools.push(...step.stops)
      if (step.end !== undefined) end = step.end
      settling = Promise.all([step.committed, ports.commit([endIteration()])])
      // Awaited before the next commit is waited for, or after the loop; until then a failure is not unhandled.
      settling.catch(() => undefined)
    }
    const trace: IterationTrace = {
      iteration,
      startedAt: iterationStart,
      endedAt: ports.monotonic(),
      epochOffset: ports.now() - ports.monotonic(),
      requestId: built.request.meta.requestId,
      provider: settings.provider,
      model: settings.model,
      spans,
    }
    writeTrace = () => ports.writeTrace(trace.iteration, trace)
  }

  await settling
  writeTrace()
  if (end.reason === 'aborted') await ports.commit([stopDraft(stops, settings.turn)])
  const cost = totals.costs.length === 1 ? totals.costs[0] : undefined
  await ports.commit([
    {
      event: 'turn_end',
      reason: end.reason,
      iterations: iteration,
      durationMs: Math.round(ports.monotonic() - startedAt),
      usage: totals.usage,
      ...(cost === undefined ? {} : { cost }),
      ...(end.error === undefined ? {} : { error: end.error }),
      ...(end.detail === undefined ? {} : { detail: end.detail }),
      turn: settings.turn,
    },
  ])
  return { ...end, iterations: iteration }
}

/** What the person said meanwhile goes before the next request. Resolves when it is durable. */
async function commitSteering(ports: TurnPorts, turn: number): Promise<void> {
  const steering = ports.steering()
  if (steering.length === 0) return
  await ports.commit(
    steering.map((message) => ({
      event: 'user_message',
      messageId: message.messageId,
      content: message.content,
      ...(message.images === undefined ? {} : { images: message.images }),
      steering: true,
      turn,
    })),
  )
}

async function buildRequest(
  settings: TurnSettings,
  ports: TurnPorts,
  iteration: number,
  spans: TraceSpan[],
  signal: AbortSignalLike,
): Promise<BuiltRequest | { error: MetonaError }> {
  const startedAt = ports.monotonic()
  try {
    const built = await ports.buildContext({ iteration, userInput: settings.userInput, signal })
    spans.push({
      name: 'build context',
      kind: 'context',
      startedAt,
      endedAt: ports.monotonic(),
      attributes: { 'metona.context.estimated_tokens': built.tokens, 'metona.context.usage_ratio': built.ratio },
    })
    return built
  } catch (thrown) {
    const error = mapFailure(toErrorData(thrown))
    spans.push({ name: 'build context', kind: 'context', startedAt, endedAt: ports.monotonic(), attributes: {}, error: error.message })
    return { error }
  }
}

/** An answer without calls ends the turn; how, its finish reason says. */
function endOfAnswer(response: MetonaResponse, signal: AbortSignalLike): Omit<TurnEnd, 'iterations'> {
  switch (response.finishReason) {
    case 'aborted':
      return endByAbort(signal)
    case 'error':
      return signal.aborted ? endByAbort(signal) : { reason: 'failed', ...(response.error === undefined ? {} : { error: response.error }) }
    case 'length':
      return { reason: 'completed', detail: 'length' }
    case 'content_filter':
      return { reason: 'failed', detail: 'content_filter', ...(response.error === undefined ? {} : { error: response.error }) }
    case 'stop':
    case 'tool_calls':
      return { reason: 'completed' }
    default:
      return unreachable(response.finishReason)
  }
}

function unreachable(value: never): never {
  throw new Error(`unhandled finish reason ${String(value)}`)
}

function addTotals(totals: TurnTotals, outcome: StreamOutcome): void {
  const { usage } = outcome.response
  totals.usage = {
    inputTokens: totals.usage.inputTokens + usage.inputTokens,
    outputTokens: totals.usage.outputTokens + usage.outputTokens,
    totalTokens: totals.usage.totalTokens + usage.totalTokens,
  }
  if (outcome.cost !== undefined) totals.costs = addCost(totals.costs, outcome.cost)
}
