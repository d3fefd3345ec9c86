/** Every durable event of a session exactly once and in order, deltas as they come: gaps are read from storage. */
import type { PostPart } from '#contracts/session/client-protocol.ts'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import type { SessionSnapshot } from '#contracts/session/session-snapshot.ts'
import type { StreamDelta } from '#contracts/session/stream-delta.ts'
import type { Client } from './client.ts'

export interface FollowOptions {
  readonly workspace: string
  readonly sessionId: string
  /** The first event wanted. */
  readonly fromSeq: number
  onEvent(event: SessionEvent): void
  /** `rev` counts the parts of the subscription. Without a listener no deltas are sent at all. */
  onDelta?: ((delta: StreamDelta, rev: number) => void) | undefined
  /** Deltas were left out; this is what they made. */
  onSnapshot(snapshot: SessionSnapshot): void
  onFailure(error: unknown): void
}

export interface Follower {
  /** Subscribes; again after the session worker was replaced and the session is open there. */
  subscribe(): Promise<void>
  /** Reads what storage has beyond the last event seen, for when the session is closed and no post will follow. */
  catchUp(): Promise<void>
  stop(): void
}

const PAGE = 5_000

export function followSession(client: Client, options: FollowOptions): Follower {
  const { workspace, sessionId } = options
  let lastSeq = options.fromSeq - 1
  let rev = 0
  let queue: PostPart[] = []
  let busy = false
  let stopped = false

  const emit = (event: SessionEvent): void => {
    if (event.seq <= lastSeq) return
    lastSeq = event.seq
    options.onEvent(event)
  }

  /** @param until the seq that must have been emitted, if storage has it. */
  const readMissing = async (until: number): Promise<void> => {
    while (lastSeq < until) {
      const { events } = await client.call('session.read', { workspace, sessionId, fromSeq: lastSeq + 1, limit: PAGE })
      for (const event of events) emit(event)
      if (events.length < PAGE) return
    }
  }

  const subscribeNow = async (): Promise<void> => {
    const { snapshot, rev: start } = await client.call('session.subscribe', { sessionId, deltas: options.onDelta !== undefined })
    // What came before the answer belongs to the subscription before.
    queue = []
    rev = start
    await readMissing(snapshot.lastSeq)
  }

  const take = async (part: PostPart): Promise<void> => {
    if (part.rev <= rev) return
    if (part.rev > rev + 1) return subscribeNow()
    rev = part.rev
    if (part.snapshot !== undefined) options.onSnapshot(part.snapshot)
    for (const entry of part.entries) {
      if ('delta' in entry) {
        options.onDelta?.(entry, part.rev)
        continue
      }
      if (entry.seq > lastSeq + 1) await readMissing(entry.seq - 1)
      emit(entry)
    }
  }

  const drain = async (): Promise<void> => {
    if (busy) return
    busy = true
    try {
      for (let part = queue.shift(); part !== undefined && !stopped; part = queue.shift()) await take(part)
    } catch (error) {
      options.onFailure(error)
    } finally {
      busy = false
    }
  }

  const unwatch = client.watch(sessionId, (part) => {
    queue.push(part)
    void drain()
  })

  return {
    subscribe: async () => {
      busy = true
      try {
        await subscribeNow()
      } finally {
        busy = false
      }
      void drain()
    },
    catchUp: () => readMissing(Infinity),
    stop: () => {
      stopped = true
      unwatch()
    },
  }
}
