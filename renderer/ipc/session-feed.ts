/**
 * The sessions this page follows: checks each one's `rev`, folds entries outside Vue and publishes at most
 * once per animation frame. A gap, a lost connection or a replaced worker leads to a new subscription.
 */
import type { PostPart, SessionEntry } from '#contracts/session/client-protocol.ts'
import { reduceSession } from '#contracts/session/reduce-session.ts'
import type { SessionSnapshot } from '#contracts/session/session-snapshot.ts'
import type { TranscriptItem } from '#contracts/session/transcript-item.ts'
import { createCredit } from './credit.ts'
import { createFrameScheduler } from './frame-scheduler.ts'

/** Enough for any screen; the rest comes when that is on it. */
const NEWEST_ITEMS = 400
const ITEMS_AT_ONCE = 3000
/** Between two tries to get the rest, milliseconds; the last one again and again. */
const DELAYS = [1_000, 2_000, 5_000, 15_000]
const LATEST_REST_MS = 2_000

export interface FeedPort {
  subscribe(sessionId: string, newest: number): Promise<{ snapshot: SessionSnapshot; rev: number }>
  /** The last `limit` of the first `before` items. */
  items(sessionId: string, before: number, limit: number): Promise<{ items: TranscriptItem[] }>
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
  readonly #delays: readonly number[]
  #latestPost = 0

  constructor(port: FeedPort, delays: readonly number[] = DELAYS) {
    this.#port = port
    this.#delays = delays
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
      const { snapshot, rev } = await this.#port.subscribe(sessionId, NEWEST_ITEMS)
      if (!isCurrent()) return
      followed.snapshot = snapshot
      followed.rev = rev
      followed.dirty = true
      this.#frames.request()
      await this.#fetchEarlier(sessionId, followed, isCurrent)
    } catch (error) {
      if (isCurrent()) followed.listener.onFailure(error)
    }
  }

  /**
   * What the first answer left out. Entries that came meanwhile are in both: an item is sent as it is when it is asked for, and folding an entry again changes nothing.
   */
  async #fetchEarlier(sessionId: string, followed: Followed, isCurrent: () => boolean): Promise<void> {
    let failures = 0
    if (followed.snapshot?.earlier !== undefined) await atRest()
    for (;;) {
      const before = followed.snapshot?.earlier
      if (before === undefined || !isCurrent()) return
      const answer = await this.#port.items(sessionId, before, ITEMS_AT_ONCE).catch(() => undefined)
      // A whole snapshot may have come instead.
      if (!isCurrent() || followed.snapshot?.earlier !== before) return
      if (answer === undefined) {
        // The page shows that the beginning is not here; a new connection asks anew by itself.
        const delay = this.#delays[Math.min(failures++, this.#delays.length - 1)]
        await new Promise((resolve) => setTimeout(resolve, delay))
        continue
      }
      const { items } = answer
      fold(followed)
      const { earlier: _earlier, ...rest } = followed.snapshot
      const left = items.length === 0 ? 0 : before - items.length
      followed.snapshot = { ...rest, items: [...items, ...rest.items], ...(left > 0 ? { earlier: left } : {}) }
      followed.dirty = true
      this.#frames.request()
    }
  }

  #publish(): void {
    for (const followed of this.#followed.values()) {
      if (!followed.dirty || followed.snapshot === undefined) continue
      followed.dirty = false
      fold(followed)
      followed.listener.onSnapshot(followed.snapshot)
    }
    if (this.#latestPost > 0) this.#credit.taken(this.#latestPost)
  }
}

function fold(followed: Followed): void {
  if (followed.pending.length === 0 || followed.snapshot === undefined) return
  followed.snapshot = reduceSession(followed.snapshot, followed.pending)
  followed.pending = []
}

/** After the next frame, when nothing else is to be done: what comes first is on screen before the rest is asked for. */
async function atRest(): Promise<void> {
  if (typeof requestAnimationFrame !== 'function' || typeof requestIdleCallback !== 'function') return
  await new Promise<void>((resolve) => {
    // A hidden page gets no frames.
    const late = setTimeout(resolve, LATEST_REST_MS)
    requestAnimationFrame(() =>
      requestIdleCallback(
        () => {
          clearTimeout(late)
          resolve()
        },
        { timeout: LATEST_REST_MS },
      ),
    )
  })
}
