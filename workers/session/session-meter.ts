/** Where the time of each session's turns went. Made from the spans that the traces are made from. */
import type { SessionTimes } from '#contracts/health/pipeline-health.ts'
import type { TraceSpan } from './domain/turn-ports.ts'

/** Sessions not heard of longest are forgotten. */
const MOST_KEPT = 200

type Times = { -readonly [K in keyof SessionTimes]: SessionTimes[K] }

export class SessionMeter {
  readonly #sessions = new Map<string, Times>()

  iteration(sessionId: string, spans: readonly TraceSpan[]): void {
    const times = this.#of(sessionId)
    times.iterations += 1
    for (const span of spans) {
      const took = span.endedAt - span.startedAt
      if (span.kind === 'context') times.contextMs += took
      else if (span.kind === 'queue') times.queueMs += took
      else if (span.kind === 'approval') times.approvalMs += took
      else if (span.kind === 'tool') times.toolMs += took
      else {
        const first = Number(span.attributes['metona.first_token_ms'] ?? took)
        times.firstTokenMs += Math.min(first, took)
        times.streamMs += Math.max(0, took - first)
      }
    }
  }

  committed(sessionId: string, tookMs: number): void {
    this.#of(sessionId).commitMs += tookMs
  }

  /** The session heard of last comes last. */
  read(): SessionTimes[] {
    return [...this.#sessions.values()].map((times) => ({ ...times }))
  }

  #of(sessionId: string): Times {
    const times = this.#sessions.get(sessionId) ?? {
      sessionId,
      iterations: 0,
      contextMs: 0,
      queueMs: 0,
      firstTokenMs: 0,
      streamMs: 0,
      approvalMs: 0,
      toolMs: 0,
      commitMs: 0,
    }
    this.#sessions.delete(sessionId)
    this.#sessions.set(sessionId, times)
    for (const oldest of this.#sessions.keys()) {
      if (this.#sessions.size <= MOST_KEPT) break
      this.#sessions.delete(oldest)
    }
    return times
  }
}
