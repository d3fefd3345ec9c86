/** All attached clients: who watches which session, at most one post per 16 ms each, flow control by credit. */
import { isDeepStrictEqual } from 'node:util'
import {
  ClientMessageSchema,
  CREDIT_POSTS,
  isDelta,
  LIST_INTERVAL_MS,
  POST_INTERVAL_MS,
  type Banner,
  type ClientMessage,
  type HostMessage,
  type PostPart,
  type SessionEntry,
} from '#contracts/session/client-protocol.ts'
import type { SessionSnapshot, SessionSummary } from '#contracts/session/session-snapshot.ts'
import { callMeter } from '#contracts/wire/call-meter.ts'
import { listen } from '#contracts/wire/listen.ts'
import type { Port } from '#contracts/wire/port.ts'
import { appendEntry } from './merge-deltas.ts'

interface Subscription {
  readonly deltas: boolean
  rev: number
  entries: SessionEntry[]
  /** Deltas were left out for want of credit: a snapshot must follow. */
  stale: boolean
}

export interface Client {
  readonly clientId: string
  /** @returns the rev that the next part's will follow. */
  subscribe(sessionId: string, options: { deltas: boolean }): number
  unsubscribe(sessionId: string): void
  subscribeList(): void
}

export interface HubHost {
  snapshot(sessionId: string): SessionSnapshot | undefined
  /** Answers a call; errors are thrown as AppError. */
  handle(message: Extract<ClientMessage, { type: 'call' }>, client: Client, reply: (message: HostMessage) => void): void
  cancel(client: Client, id: number): void
  gone(client: Client): void
  /** A client began or ceased to read along with a session. */
  watchersChanged(sessionId: string): void
}

export class ClientHub {
  readonly #host: HubHost
  readonly #clients = new Map<string, AttachedClient>()
  #banners: Banner[] = []

  constructor(host: HubHost) {
    this.#host = host
  }

  attach(clientId: string, port: Port, remote: boolean): void {
    const client = new AttachedClient(clientId, port, remote, this.#host, () => this.#clients.delete(clientId))
    this.#clients.set(clientId, client)
    if (this.#banners.length > 0) client.send({ type: 'banners', banners: this.#banners })
  }

  /** Whether any client shows a list. */
  get listed(): boolean {
    return [...this.#clients.values()].some((client) => client.listed)
  }

  /** Whether any client reads along. */
  watched(sessionId: string): boolean {
    return [...this.#clients.values()].some((client) => client.watches(sessionId))
  }

  publish(sessionId: string, entries: readonly SessionEntry[]): void {
    for (const client of this.#clients.values()) client.publish(sessionId, entries)
  }

  /** What clients hold of a session is no longer true: a snapshot replaces it. */
  replaceState(sessionId: string): void {
    for (const client of this.#clients.values()) client.replaceState(sessionId)
  }

  publishRow(row: SessionSummary): void {
    for (const client of this.#clients.values()) client.publishRow(row)
  }

  publishRemoved(sessionId: string): void {
    for (const client of this.#clients.values()) client.publishRemoved(sessionId)
  }

  setBanners(banners: Banner[]): void {
    if (isDeepStrictEqual(banners, this.#banners)) return
    this.#banners = banners
    for (const client of this.#clients.values()) client.send({ type: 'banners', banners })
  }

  /** Sends what is still waiting; called before the worker stops. */
  flush(): void {
    for (const client of this.#clients.values()) client.flush()
  }
}

class AttachedClient implements Client {
  readonly clientId: string
  readonly #port: Port
  readonly #remote: boolean
  readonly #host: HubHost
  readonly #subscriptions = new Map<string, Subscription>()
  #rows: Map<string, SessionSummary> | undefined
  #removed = new Set<string>()
  #post = 0
  #acknowledged = 0
  #timer: NodeJS.Timeout | undefined
  #listTimer: NodeJS.Timeout | undefined
  #lastPostAt = 0
  #lastListAt = -Infinity

  constructor(clientId: string, port: Port, remote: boolean, host: HubHost, onGone: () => void) {
    this.clientId = clientId
    this.#port = port
    this.#remote = remote
    this.#host = host
    listen(port, (data) => this.#receive(data))
    port.addEventListener('close', () => {
      clearTimeout(this.#timer)
      clearTimeout(this.#listTimer)
      const watched = [...this.#subscriptions.keys()]
      this.#subscriptions.clear()
      onGone()
      for (const sessionId of watched) host.watchersChanged(sessionId)
      host.gone(this)
    })
    port.start()
  }

  send(message: HostMessage): void {
    const sent = this.#remote ? JSON.stringify(message) : message
    this.#port.postMessage(sent)
    callMeter()?.message(this.clientId, sent)
  }

  /** As `send`, with its bytes counted for the sessions in it. */
  #sendPost(message: Extract<HostMessage, { type: 'post' }>): void {
    this.#port.postMessage(this.#remote ? JSON.stringify(message) : message)
    const meter = callMeter()
    if (meter !== undefined) for (const part of message.parts) meter.message(this.clientId, part, part.sessionId)
  }

  subscribe(sessionId: string, { deltas }: { deltas: boolean }): number {
    this.#subscriptions.set(sessionId, { deltas, rev: 0, entries: [], stale: false })
    this.#host.watchersChanged(sessionId)
    return 0
  }

  unsubscribe(sessionId: string): void {
    this.#subscriptions.delete(sessionId)
    this.#host.watchersChanged(sessionId)
  }

  watches(sessionId: string): boolean {
    return this.#subscriptions.get(sessionId)?.deltas === true
  }

  subscribeList(): void {
    this.#rows ??= new Map()
  }

  get listed(): boolean {
    return this.#rows !== undefined
  }

  publish(sessionId: string, entries: readonly SessionEntry[]): void {
    const subscription = this.#subscriptions.get(sessionId)
    if (subscription === undefined) return
    const before = subscription.entries.length
    for (const entry of entries) {
      if (isDelta(entry) && !subscription.deltas) continue
      // Durable events are few and somebody may be writing them down; only deltas give way.
      if (isDelta(entry) && (subscription.stale || !this.#hasCredit())) subscription.stale = true
      else appendEntry(subscription.entries, entry)
    }
    if (subscription.entries.length > before || subscription.deltas) this.#schedule()
  }

  replaceState(sessionId: string): void {
    const subscription = this.#subscriptions.get(sessionId)
    if (subscription === undefined) return
    subscription.stale = true
    this.#schedule()
  }

  publishRow(row: SessionSummary): void {
    if (this.#rows === undefined) return
    this.#rows.set(row.sessionId, row)
    this.#removed.delete(row.sessionId)
    this.#scheduleList()
  }

  publishRemoved(sessionId: string): void {
    if (this.#rows === undefined) return
    this.#rows.delete(sessionId)
    this.#removed.add(sessionId)
    this.#scheduleList()
  }

  flush(): void {
    this.#flushPosts()
    this.#flushList()
  }

  #flushPosts(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (!this.#hasCredit()) return
    const parts: PostPart[] = []
    for (const [sessionId, subscription] of this.#subscriptions) {
      if (subscription.entries.length === 0 && !subscription.stale) continue
      const snapshot = subscription.stale ? this.#host.snapshot(sessionId) : undefined
      subscription.rev += 1
      // The snapshot holds every delta so far; those still waiting would be applied twice.
      const entries = snapshot === undefined ? subscription.entries : subscription.entries.filter((entry) => !isDelta(entry))
      parts.push({ sessionId, rev: subscription.rev, entries, ...(snapshot === undefined ? {} : { snapshot }) })
      subscription.entries = []
      subscription.stale = false
    }
    if (parts.length === 0) return
    this.#post += 1
    this.#lastPostAt = performance.now()
    this.#sendPost({ type: 'post', post: this.#post, parts })
  }

  #hasCredit(): boolean {
    return this.#post - this.#acknowledged < CREDIT_POSTS
  }

  #schedule(): void {
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => this.#flushPosts(), Math.max(0, this.#lastPostAt + POST_INTERVAL_MS - performance.now()))
  }

  #scheduleList(): void {
    this.#listTimer ??= setTimeout(() => this.#flushList(), Math.max(0, this.#lastListAt + LIST_INTERVAL_MS - performance.now()))
  }

  #flushList(): void {
    clearTimeout(this.#listTimer)
    this.#listTimer = undefined
    if (this.#rows === undefined || (this.#rows.size === 0 && this.#removed.size === 0)) return
    this.#lastListAt = performance.now()
    this.send({ type: 'list', rows: [...this.#rows.values()], removed: [...this.#removed] })
    this.#rows.clear()
    this.#removed.clear()
  }

  #receive(data: unknown): void {
    const message = ClientMessageSchema.safeParse(this.#remote ? parseJson(data) : data)
    // A client that does not speak the protocol gets no answer it could use; the shell bounds what it may send.
    if (!message.success) return
    switch (message.data.type) {
      case 'call':
        return this.#host.handle(message.data, this, (reply) => this.send(reply))
      case 'cancel':
        return this.#host.cancel(this, message.data.id)
      case 'ack':
        this.#acknowledged = Math.max(this.#acknowledged, Math.min(message.data.post, this.#post))
        return this.#schedule()
    }
  }
}

/** @returns undefined for text that is not JSON, which no schema accepts. */
function parseJson(data: unknown): unknown {
  if (typeof data !== 'string') return undefined
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}
