/**
 * The sessions this page follows: checks each one's `rev`, folds entries outside Vue and publishes at most
 * once per animation frame. A gap, a lost connection or a replaced worker leads to a new subscription.
 */
import type { PostPart, SessionEntry } from '#contracts/session/client-protocol.ts'
import { reduceSession } from '#contracts/session/reduce-session.ts'
import type { SessionSnapshot } from '#contracts/session/session-snapshot.ts'
import { createCredit } from './credit.ts'
import { createFrameScheduler } from './frame-scheduler.ts'

export interface FeedPort {
  subscribe(sessionId: string): Promise<{ snapshot: SessionSnapshot; rev: number }>
  unsubscribe(sessionId: string): Promise<unknown>
  acknowledge(post: number): void
}

export interface FeedListener {
  onSnapshot(snapshot: SessionSnapshot): void
  /** Subscribing failed; the next `refresh` tries again. */
  onFailure(error: unknown): void
}

interface Followed {
  readonly listener: FeedListener
  snapshot: SessionSnapshot | undefined
  /** -1 while no subscription is in force: parts are passed over until the answer comes. */
  rev: number
  pending: SessionEntry[]
  dirty: boolean
  /** Rises with every subscription, so that a late answer of an older one is ignored. */
  generation: number
}

export class SessionFeed {
  readonly #port: FeedPort
  readonly #followed = new Map<string, Followed>()
  readonly #frames = createFrameScheduler(() => this.#publish())
  readonly #credit
  #latestPost = 0

  constructor(port: FeedPort) {
    this.#port = port
    this.#credit = createCredit((post) => port.acknowledge(post))
  }

  /** Starts following; the first snapshot comes to the listener. Following twice replaces the listener. */
  follow(sessionId: string, listener: FeedListener): Promise<void> {
    const previous = this.#followed.get(sessionId)
    const followed: Followed = {
      listener,
      snapshot: previous?.snapshot,
      rev: -1,
      pending: [],
      dirty: false,
      generation: (previous?.generation ?? 0) + 1,
    }
    this.#followed.set(sessionId, followed)
    return this.#subscribe(sessionId, followed)
  }

  unfollow(sessionId: string): void {
    if (!this.#followed.delete(sessionId)) return
    this.#port.unsubscribe(sessionId).catch(() => {
      // Nothing is lost: the host forgets the subscription with the connection, and its parts are passed over here.
    })
  }

  /** Subscribes again to every followed session (new connection, replaced worker). */
  async refresh(): Promise<void> {
    await Promise.all([...this.#followed].map(([sessionId, followed]) => this.#subscribe(sessionId, followed)))
  }

  /** What was subscribed is gone; the last snapshots stay as they are. */
  disconnected(): void {
    this.#publish()
    this.#latestPost = 0
    this.#credit.reset()
    for (const followed of this.#followed.values()) {
      followed.rev = -1
      followed.generation += 1
      followed.pending = []
    }
  }

  stop(): void {
    this.#frames.cancel()
    this.#credit.reset()
    this.#followed.clear()
  }

  take(post: number, parts: readonly PostPart[]): void {
    this.#latestPost = post
    for (const part of parts) this.#takePart(part)
    this.#frames.request()
  }

  #takePart(part: PostPart): void {
    const followed = this.#followed.get(part.sessionId)
    if (followed === undefined || followed.rev < 0) return
    if (part.snapshot !== undefined) {
      followed.snapshot = part.snapshot
      followed.pending = []
    } else if (part.rev !== followed.rev + 1) {
      void this.#subscribe(part.sessionId, followed)
      return
    }
    followed.rev = part.rev
    for (const entry of part.entries) followed.pending.push(entry)
    followed.dirty = true
  }

  async #subscribe(sessionId: string, followed: Followed): Promise<void> {
    followed.rev = -1
    followed.pending = []
    const generation = ++followed.generation
    const isCurrent = (): boolean => followed.generation === generation && this.#followed.get(sessionId) === followed
    try {
      const { snapshot, rev } = await this.#port.subscribe(sessionId)
      if (!isCurrent()) return
      followed.snapshot = snapshot
      followed.rev = rev
      followed.dirty = true
      this.#frames.request()
    } catch (error) {
      if (isCurrent()) followed.listener.onFailure(error)
    }
  }

  #publish(): void {
    for (const followed of this.#followed.values()) {
      if (!followed.dirty || followed.snapshot === undefined) continue
      followed.dirty = false
      if (followed.pending.length > 0) {
        followed.snapshot = reduceSession(followed.snapshot, followed.pending)
        followed.pending = []
      }
      followed.listener.onSnapshot(followed.snapshot)
    }
    if (this.#latestPost > 0) this.#credit.taken(this.#latestPost)
  }
}
