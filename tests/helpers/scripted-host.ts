/**
 * A host that answers the client protocol from a script, for work on clients without workers: sessions are
 * lists of events a test emits, answers can be replaced, every call is checked against the contract and kept.
 */
import { ClientMessageSchema, type Banner, type HostMessage, type SessionEntry } from '#contracts/session/client-protocol.ts'
import { commands } from '#contracts/session/commands.ts'
import { emptySnapshot, reduceSession, summarise } from '#contracts/session/reduce-session.ts'
import type { SessionEventDraft } from '#contracts/session/session-event.ts'
import type { SessionSnapshot } from '#contracts/session/session-snapshot.ts'
import type { StreamDelta } from '#contracts/session/stream-delta.ts'
import { AppError, toErrorData } from '#contracts/wire/app-error.ts'
import type * as z from 'zod'

export type HostMethod = keyof (typeof commands)['methods']
export type HostAnswer = (params: never, connection: ScriptedConnection) => unknown
type Draft = SessionEventDraft | StreamDelta

export interface ScriptedConnection {
  /** What the client sent, as an object. */
  receive(message: unknown): void
  close(): void
  readonly acks: readonly number[]
}

interface Connection extends ScriptedConnection {
  readonly acks: number[]
  readonly send: (message: HostMessage) => void
  readonly revs: Map<string, number>
  post: number
  wantsList: boolean
}

export class ScriptedHost {
  readonly calls: { method: string; params: unknown }[] = []
  /** What the page keeps in the profile. */
  readonly pageState = new Map<string, string>()
  readonly connections = new Set<Connection>()
  readonly #answers = new Map<string, HostAnswer>()
  readonly #sessions = new Map<string, SessionSnapshot>()
  banners: Banner[] = []
  /** Stands still unless a test moves it, so that texts and screenshots are the same every time. */
  now: () => number = Date.now

  /** Replaces the answer of a method; throwing an `AppError` makes it a failure. */
  answer<M extends HostMethod>(
    method: M,
    run: (params: z.output<(typeof commands)['methods'][M]['input']>, connection: ScriptedConnection) => unknown,
  ): void {
    this.#answers.set(method, run as HostAnswer)
  }

  connect(send: (message: HostMessage) => void): ScriptedConnection {
    const connection: Connection = {
      acks: [],
      send,
      revs: new Map(),
      post: 0,
      wantsList: false,
      receive: (message) => void this.#receive(connection, message),
      close: () => this.connections.delete(connection),
    }
    this.connections.add(connection)
    if (this.banners.length > 0) send({ type: 'banners', banners: this.banners })
    return connection
  }

  session(sessionId: string): SessionSnapshot {
    const snapshot = this.#sessions.get(sessionId)
    if (snapshot === undefined) throw new AppError({ code: 'UNKNOWN_SESSION', message: sessionId })
    return snapshot
  }

  get sessions(): readonly SessionSnapshot[] {
    return [...this.#sessions.values()]
  }

  addSession(
    sessionId: string,
    workspace: string,
    settings: Omit<Extract<SessionEventDraft, { event: 'session_start' }>, 'event' | 'workspace' | 'agentVersion'> = {},
  ): void {
    this.#sessions.set(sessionId, emptySnapshot(sessionId))
    this.emit(sessionId, {
      event: 'session_start',
      workspace,
      agentVersion: '0.0.0',
      permission: 'ask',
      model: 'demo/scripted',
      ...settings,
    })
  }

  /** Durable events get the next `seq`, deltas none; every subscriber gets one post with all of them. `at` dates the events. */
  emit(sessionId: string, ...drafts: (Draft & { at?: string })[]): void {
    const before = this.session(sessionId)
    let seq = before.lastSeq
    const entries = drafts.map(({ at, ...draft }): SessionEntry => {
      if ('delta' in draft) return draft as SessionEntry
      seq += 1
      return { seq, ts: at ?? new Date(this.now()).toISOString(), sessionId, eventId: `e_${sessionId}_${seq}`, ...draft } as SessionEntry
    })
    this.#sessions.set(sessionId, reduceSession(before, entries))
    for (const connection of this.connections) this.post(connection, sessionId, entries)
    if (entries.some((entry) => !('delta' in entry)) || drafts.some((draft) => 'delta' in draft && draft.delta === 'quota'))
      this.#sendList(sessionId)
  }

  /** One post to one client; `skip` leaves out a `rev`, as a lost part would. */
  post(connection: Connection, sessionId: string, entries: SessionEntry[], skip = 0): void {
    const rev = connection.revs.get(sessionId)
    if (rev === undefined) return
    connection.revs.set(sessionId, rev + 1 + skip)
    connection.post += 1
    connection.send({ type: 'post', post: connection.post, parts: [{ sessionId, rev: rev + 1 + skip, entries }] })
  }

  /** As when the session worker was replaced. */
  reset(): void {
    for (const connection of this.connections) {
      connection.revs.clear()
      connection.wantsList = false
      connection.send({ type: 'reset', reason: 'replaced by the test' })
    }
  }

  setBanners(banners: Banner[]): void {
    this.banners = banners
    for (const connection of this.connections) connection.send({ type: 'banners', banners })
  }

  #sendList(sessionId: string): void {
    const rows = [summarise(this.session(sessionId))]
    for (const connection of this.connections) if (connection.wantsList) connection.send({ type: 'list', rows, removed: [] })
  }

  async #receive(connection: Connection, data: unknown): Promise<void> {
    const message = ClientMessageSchema.parse(data)
    if (message.type === 'ack') connection.acks.push(message.post)
    if (message.type !== 'call') return
    try {
      const definition = commands.methods[message.method as HostMethod]
      if (definition === undefined) throw new AppError({ code: 'UNKNOWN_METHOD', message: message.method })
      const params = definition.input.parse(message.params)
      this.calls.push({ method: message.method, params })
      const run = this.#answers.get(message.method) ?? this.#defaults[message.method as HostMethod]
      if (run === undefined) throw new AppError({ code: 'UNKNOWN_METHOD', message: message.method })
      connection.send({ type: 'result', id: message.id, ok: true, value: await run(params as never, connection) })
    } catch (error) {
      connection.send({ type: 'failure', id: message.id, error: toErrorData(error) })
    }
  }

  readonly #defaults: { [M in HostMethod]?: HostAnswer } = {
    'workspace.open': ({ path, mode }: { path: string; mode: string }) => ({ workspace: path, created: [], readOnly: mode === 'read' }),
    'workspace.recent': () => ({ workspaces: [] }),
    'workspace.sample': () => ({ path: '/home/ada/MetonaWorkspaces/sample' }),
    'workspace.close': () => ({}),
    'trust.add': ({ path }: { path: string }) => ({ path, trustedAt: new Date(this.now()).toISOString() }),
    'trust.list': () => ({ entries: [] }),
    'trust.remove': () => ({ removed: true }),
    'session.subscribeList': (_params: object, connection: ScriptedConnection) => {
      ;(connection as Connection).wantsList = true
      return { sessions: this.sessions.map(summarise) }
    },
    'session.list': () => ({ sessions: this.sessions.map(summarise) }),
    'session.create': ({ workspace, interactive: _interactive, ...settings }: { workspace: string; interactive: boolean }) => {
      const sessionId = `s_new${String(this.#sessions.size).padStart(8, '0')}`
      this.addSession(sessionId, workspace, settings)
      return { sessionId }
    },
    'session.open': ({ sessionId }: { sessionId: string }) => ({ sessionId: this.session(sessionId).sessionId }),
    'session.subscribe': ({ sessionId, newest = Infinity }: { sessionId: string; newest?: number }, connection: ScriptedConnection) => {
      const snapshot = this.session(sessionId)
      ;(connection as Connection).revs.set(sessionId, 0)
      const earlier = snapshot.items.length - newest
      return { snapshot: earlier > 0 ? { ...snapshot, items: snapshot.items.slice(-newest), earlier } : snapshot, rev: 0 }
    },
    'session.items': ({ sessionId, before, limit }: { sessionId: string; before: number; limit: number }) => ({
      items: this.session(sessionId).items.filter((_, index) => index < before && index >= before - limit),
    }),
    'session.unsubscribe': ({ sessionId }: { sessionId: string }, connection: ScriptedConnection) => {
      ;(connection as Connection).revs.delete(sessionId)
      return {}
    },
    'session.prompt': ({
      sessionId,
      messageId,
      content,
      whenBusy,
    }: {
      sessionId: string
      messageId: string
      content: string
      whenBusy: string
    }) => {
      const { phase, turn } = this.session(sessionId)
      const busy = phase !== undefined && phase !== 'ended'
      if (busy) this.emit(sessionId, { event: 'message_queued', messageId, content, steering: whenBusy === 'steer' })
      else this.emit(sessionId, { event: 'user_message', messageId, content, turn: turn + 1 })
      return { state: busy ? 'queued' : 'started' }
    },
    'session.unqueue': ({ sessionId, messageId }: { sessionId: string; messageId: string }) => {
      const content = this.session(sessionId).queue.find((message) => message.messageId === messageId)?.content
      this.emit(sessionId, { event: 'message_unqueued', messageId })
      return { content }
    },
    'session.stop': ({ sessionId }: { sessionId: string }) => {
      this.emit(sessionId, { event: 'turn_end', turn: this.session(sessionId).turn, reason: 'aborted', iterations: 1, durationMs: 1000 })
      return { stopped: true, survivors: [] }
    },
    'session.answer': ({
      sessionId,
      toolCallId,
      decision,
      reason,
      scope,
    }: {
      sessionId: string
      toolCallId: string
      decision: 'allow' | 'deny'
      reason?: string
      scope: 'once' | 'session' | 'always'
    }) => {
      const approval = this.session(sessionId).approvals.find((candidate) => candidate.toolCallId === toolCallId)
      if (approval === undefined) throw new AppError({ code: 'APPROVAL_GONE', message: 'answered elsewhere' })
      this.emit(sessionId, {
        event: 'permission',
        iteration: 1,
        tool: approval.tool,
        toolCallId,
        decision,
        by: 'user',
        reason: reason ?? '',
        scope,
      })
      return {}
    },
    'session.resume': () => ({}),
    'session.retry': () => ({}),
    'session.update': ({ sessionId, ...settings }: { sessionId: string }) => {
      this.emit(sessionId, { event: 'session_updated', ...settings })
      return {}
    },
    'inspect.approvals': () => ({
      waiting: this.sessions.flatMap(({ sessionId, workspace, title, sandbox, approvals }) =>
        approvals.map((approval) => ({ sessionId, workspace, title, sandbox, approval })),
      ),
    }),
    'inspect.context': () => ({}),
    'inspect.traces': () => ({ traces: [] }),
    'session.changes': () => ({ changes: [] }),
    'session.read': () => ({ events: [] }),
    'page.read': ({ prefix }: { prefix: string }) => ({
      entries: [...this.pageState].filter(([key]) => key.startsWith(prefix)).map(([key, value]) => ({ key, value })),
    }),
    'page.write': ({ key, value }: { key: string; value: string | null }) => {
      if (value === null) this.pageState.delete(key)
      else this.pageState.set(key, value)
      return {}
    },
    'config.list': () => ({ entries: [] }),
    'models.list': () => ({ models: [], problems: [] }),
    'providers.list': () => ({ providers: [] }),
    'native.call': ({ method }: { method: string }) => {
      throw new AppError({ code: 'NOT_AVAILABLE', message: method })
    },
  }
}
