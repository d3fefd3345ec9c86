/** A model request beside the conversation: nothing of it is shown while it is written, but it is paid for like any other. */
import type { ModelTarget } from '#contracts/llm/llm-service.ts'
import type { MetonaRequest } from '#contracts/metona/metona-request.ts'
import type { MetonaResponse } from '#contracts/metona/metona-response.ts'
import type { Cost } from '#contracts/session/cost.ts'
import type { SessionEventOf } from '#contracts/session/session-event.ts'
import type { AbortSignalLike } from '#contracts/metona/metona-adapter.ts'
import type { Port } from '#contracts/wire/port.ts'
import type { LiveSession } from './live-session.ts'
import type { Services } from './services.ts'

export interface SideRequestOrder {
  readonly services: Services
  readonly session: LiveSession
  readonly target: ModelTarget
  readonly signal: AbortSignalLike
  readonly turn?: number
  /** Told what it used, so that the turn's own limits know of it. */
  readonly onSpent?: ((tokens: number, cost: Cost | undefined) => void) | undefined
}

/** @returns the answer, of whatever kind; its price is in the session's books. Rejects with AppError when the worker cannot be had. */
export async function sideRequest(
  { services, session, target, signal, turn, onSpent }: SideRequestOrder,
  request: MetonaRequest,
  purpose: SessionEventOf<'side_request'>['purpose'],
): Promise<MetonaResponse> {
  const started = performance.now()
  const channel = new MessageChannel()
  channel.port1.start()
  try {
    const llm = await services.llm.client()
    const { response, cost } = await llm.stream(
      { target, request: { ...request, meta: { ...request.meta, model: target.model } }, port: channel.port2 as unknown as Port },
      { signal, graceMs: STREAM_GRACE_MS },
    )
    const { usage } = response
    if (usage.totalTokens > 0) {
      onSpent?.(usage.totalTokens, cost)
      await session.commit([
        {
          event: 'side_request',
          purpose,
          provider: target.provider,
          model: target.model,
          usage,
          durationMs: Math.round(performance.now() - started),
          ...(cost === undefined ? {} : { cost }),
          ...(turn === undefined ? {} : { turn }),
        },
      ])
    }
    return response
  } finally {
    channel.port1.close()
  }
}

/** A request that is stopped has this long to say what it used, in milliseconds. */
const STREAM_GRACE_MS = 2_000
