/** One model request: sent to the llm worker, shown while it streams, kept every 750 ms, and answered whatever happens there. */
import { setTimeout as sleep } from 'node:timers/promises'
import { LlmBatchSchema, type ModelTarget } from '#contracts/llm/llm-service.ts'
import type { MetonaResponse, MetonaStreamEvent } from '#contracts/metona/metona-response.ts'
import { toErrorData, WireErrorCode, type AppErrorData } from '#contracts/wire/app-error.ts'
import { listen } from '#contracts/wire/listen.ts'
import type { Port } from '#contracts/wire/port.ts'
import { mapFailure } from './domain/map-failure.ts'
import type { BuiltRequest, StreamOutcome, TurnPorts } from './domain/turn-ports.ts'
import { keep } from './keep.ts'
import type { LiveSession } from './live-session.ts'
import { PartialKeeper } from './partial-keeper.ts'
import { StreamRedaction } from './redact-deltas.ts'
import type { Services } from './services.ts'

/** After Stop: how long to wait for a closed socket, in milliseconds. */
const STREAM_GRACE_MS = 2_000
/** Batches of a stream between two acknowledgements; the llm worker waits when 64 are out. */
const ACK_EVERY = 16
/** Least time between two batches of a stream nobody reads along, in milliseconds. */
const UNWATCHED_PACE_MS = 250
const WATCHED_PACE_MS = 16
/** How often a request of which nothing came is sent again after the llm worker died. */
const REPEATS = 4
/** Before the first repeat, then that much longer each time, in milliseconds: its successor has to come up. */
const REPEAT_PAUSE_MS = 200

export interface StreamOrder {
  readonly services: Services
  readonly session: LiveSession
  readonly target: ModelTarget
  readonly built: BuiltRequest
  readonly messageId: string
  readonly turn: number
  readonly signal: AbortSignal
  readonly onBatch: Parameters<TurnPorts['stream']>[1]['onBatch']
}

/** Never rejects: failure is `finishReason: 'error'`, with the text that came before it. */
export async function streamModel(order: StreamOrder): Promise<StreamOutcome> {
  for (let repeat = 0; ; repeat++) {
    const { outcome, lostUnseen } = await streamOnce(order)
    // Nothing of it was seen, so nobody can tell a second try from a slow first one.
    if (!lostUnseen || repeat >= REPEATS) return outcome
    await sleep(REPEAT_PAUSE_MS * (repeat + 1), undefined, { ref: false })
  }
}

async function streamOnce(order: StreamOrder): Promise<{ outcome: StreamOutcome; lostUnseen: boolean }> {
  const { services, session, target, built, signal } = order
  const channel = new MessageChannel()
  const port = channel.port1 as unknown as Port
  const redaction = new StreamRedaction(services.secrets.redactor)
  const partial = new PartialKeeper(
    { sessionId: session.sessionId, messageId: order.messageId, turn: order.turn, iteration: built.request.meta.iteration },
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
  let seen = false
  const show = (events: MetonaStreamEvent[]): void => {
    if (events.length === 0) return
    seen = true
    if (events.some((event) => event.type === 'tool_call_start')) warmTools(services)
    for (const event of events) partial.take(event)
    order.onBatch({ events })
  }
  listen(port, (data) => {
    const batch = LlmBatchSchema.parse(data)
    posts += 1
    // A session that cannot keep up lets the provider's socket fill up instead of its own memory.
    if (posts % ACK_EVERY === 0) port.postMessage({ ack: posts })
    if ('events' in batch) show(redaction.take(batch.events))
    else order.onBatch(batch)
  })
  port.start()
  const setPace = (watched: boolean): void => port.postMessage({ pace: watched ? WATCHED_PACE_MS : UNWATCHED_PACE_MS })
  if (!session.watched) setPace(false)
  const stopWatching = session.onWatch(setPace)
  try {
    const llm = await services.llm.client()
    const answer = await llm.stream(
      { target, request: built.request, port: channel.port2 as unknown as Port },
      { signal, graceMs: STREAM_GRACE_MS },
    )
    // The answer and the batches travel on two ports: what was streamed is shown before the answer counts.
    await drained
    show(redaction.end())
    const { response, cost, queuedMs, socketClosedMs } = answer
    return { outcome: { response, cost, queuedMs, socketClosedMs }, lostUnseen: false }
  } catch (thrown) {
    const error = toErrorData(thrown)
    const lostUnseen = error.code === WireErrorCode.WORKER_LOST && !seen && !signal.aborted
    if (!lostUnseen) show(redaction.end())
    const response = cutResponse(order, partial, error, performance.now() - startedAt)
    return { outcome: { response, cost: undefined, queuedMs: 0, socketClosedMs: undefined }, lostUnseen }
  } finally {
    stopWatching()
    partial.stop()
    port.close()
  }
}

/** While the model still writes the arguments, the thread and the process that will run the call come up. An answer without calls starts neither. */
function warmTools(services: Services): void {
  keep(
    services,
    'tools',
    services.tools.client().then((tools) => tools.warm({})),
  )
}

/** The llm worker died or did not let go: what was streamed so far is kept, the turn can be retried. */
function cutResponse(
  { target, built, signal }: StreamOrder,
  partial: PartialKeeper,
  error: AppErrorData,
  latencyMs: number,
): MetonaResponse {
  return {
    meta: { requestId: built.request.meta.requestId, provider: target.provider, model: target.model, latencyMs, timestamp: Date.now() },
    content: partial.text,
    ...(partial.thinking === ''
      ? {}
      : { thinking: { content: partial.thinking, status: 'complete', durationMs: latencyMs, tokensUsed: 0 } }),
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    finishReason: signal.aborted ? 'aborted' : 'error',
    error: { ...mapFailure(error), provider: target.provider },
  }
}
