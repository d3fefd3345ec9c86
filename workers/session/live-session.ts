/**
 * A session held in memory: its folded state, its history, its turns (`session-turns.ts`). All its events go through
 * `commit`, which gives them their seq, makes them durable and only then shows them.
 */
import type { CompactionState } from '#contracts/context/compaction.ts'
import type { MetonaMessage, MetonaRequest } from '#contracts/metona/metona-request.ts'
import type { CallExposure } from '#contracts/session/call-exposure.ts'
import type { SessionEntry } from '#contracts/session/client-protocol.ts'
import { emptySnapshot, reduceSession } from '#contracts/session/reduce-session.ts'
import { SessionEventSchema, type SessionEvent, type SessionEventDraft } from '#contracts/session/session-event.ts'
import type { SessionSnapshot } from '#contracts/session/session-snapshot.ts'
import type { StreamDelta } from '#contracts/session/stream-delta.ts'
import type { StoredCount } from '#contracts/context/token-report.ts'
import type { AppError } from '#contracts/wire/app-error.ts'
import { ApprovalDesk } from './approval-desk.ts'
import { emptyHistory, extendHistory, type History } from './domain/history.ts'
import { addExposure } from './domain/session-exposure.ts'
import { newId } from './new-id.ts'
import type { SessionStore } from './session-store.ts'
import { SessionTurns, type TurnHooks } from './session-turns.ts'

/** Deltas are folded in runs of this many; a snapshot folds the rest first. */
const FOLD_AFTER = 256

export interface LiveSessionHooks extends TurnHooks {
  /** Shows entries to clients and updates the list row. */
  published(session: LiveSession, entries: readonly SessionEntry[]): void
  /** Its events can no longer be written, and never will be by this object. Called once. */
  failed(session: LiveSession): void
}

export class LiveSession {
  readonly sessionId: string
  readonly workspace: string
  readonly approvals: ApprovalDesk
  readonly turns: SessionTurns
  /** False where nobody can be asked. */
  interactive = true
  timeoutMs: number | undefined
  /** As given, also where a part of it must not be written down; absent for a session taken up without it. */
  baseUrl: string | undefined
  /** Nothing new may start in it. */
  closing = false
  /** The message list of the last build, of which only the end crosses again. */
  held:
    | {
        readonly requestId: string
        readonly messages: readonly MetonaMessage[]
        /** The rest of the request; its `messages` may lack the beginning. */
        readonly request: MetonaRequest
        readonly tokens: number
      }
    | undefined
  /** How many messages the context thread has; 0 after anything that changed what it holds. */
  contextCursor = 0
  /** Exact counts the context thread made, given back when it has to start over. */
  readonly counts = new Map<string, StoredCount>()
  /** Of `counts`, those not stored yet. */
  #newCounts: StoredCount[] = []
  /** What the person allowed for this session (keys of `grants.ts`); memory only, a workspace file cannot grant anything. */
  readonly grants = new Set<string>()
  /** Codes of the notices this session has. */
  readonly noticed = new Set<string>()
  /** What its calls put before the model. */
  exposure: CallExposure = {}
  readonly #store: SessionStore
  readonly #hooks: LiveSessionHooks
  readonly #history: History = emptyHistory()
  #snapshot: SessionSnapshot
  #watched = false
  readonly #watchListeners = new Set<(watched: boolean) => void>()
  #unfolded: SessionEntry[] = []
  #nextSeq = 0
  #lastSurvivors: number[] = []
  #failureTold = false

  constructor(sessionId: string, workspace: string, store: SessionStore, hooks: LiveSessionHooks, events: readonly SessionEvent[] = []) {
    this.sessionId = sessionId
    this.workspace = workspace
    this.#store = store
    this.#hooks = hooks
    this.#snapshot = reduceSession(emptySnapshot(sessionId), events)
    this.approvals = new ApprovalDesk()
    this.turns = new SessionTurns(this, hooks)
    for (const event of events) this.#remember(event)
    this.#nextSeq = (events.at(-1)?.seq ?? -1) + 1
  }

  get snapshot(): SessionSnapshot {
    if (this.#unfolded.length > 0) {
      this.#snapshot = reduceSession(this.#snapshot, this.#unfolded)
      this.#unfolded = []
    }
    return this.#snapshot
  }

  /** The seq of the event a message comes from; the last one for a message that is not known. */
  seqOf(messageId: string | undefined): number {
    const index = messageId === undefined ? -1 : this.#history.messages.findLastIndex((message) => message.id === messageId)
    return this.#history.seqs[index] ?? Math.max(0, this.#nextSeq - 1)
  }

  /** Whether a client reads along. */
  get watched(): boolean {
    return this.#watched
  }

  setWatched(watched: boolean): void {
    if (watched === this.#watched) return
    this.#watched = watched
    for (const listener of this.#watchListeners) listener(watched)
  }

  /** @returns takes the listener back. */
  onWatch(listener: (watched: boolean) => void): () => void {
    this.#watchListeners.add(listener)
    return () => this.#watchListeners.delete(listener)
  }

  /** Where its requests go, when the session itself says so; what is in memory may hold a secret the stored one does not. */
  get effectiveBaseUrl(): string | undefined {
    const stored = this.snapshot.baseUrl
    return this.baseUrl ?? (stored === '' ? undefined : stored)
  }

  /** Messages in the order the model must see them. */
  get messages(): readonly MetonaMessage[] {
    return this.#history.messages
  }

  get compaction(): CompactionState | undefined {
    return this.#history.compaction
  }

  get loggedMessages(): number {
    return this.#history.logged
  }

  /** Process ids that the last Stop could not end; normally none. */
  get lastSurvivors(): number[] {
    return this.#lastSurvivors
  }

  /** Memories the model has before it. */
  get recalled(): readonly string[] {
    return [...this.#history.recalled.keys()]
  }

  get failure(): AppError | undefined {
    return this.#store.failure
  }

  /** For what is only asked of storage; the workspace is open there. */
  get store(): Pick<SessionStore, 'ask'> {
    return this.#store
  }

  /** Durable when it resolves; clients see the events only then. */
  async commit(drafts: readonly SessionEventDraft[]): Promise<SessionEvent[]> {
    const ts = new Date().toISOString()
    const events = drafts.map((draft, index) => this.#complete(draft, ts, this.#nextSeq + index))
    this.#nextSeq += events.length
    // The next request is built while this is on its way to the disk. It is sent after a later commit, so never without this one.
    for (const event of events) this.#remember(event)
    try {
      await this.#store.append(events)
    } catch (thrown) {
      if (!this.#failureTold) this.#hooks.failed(this)
      this.#failureTold = true
      throw thrown
    }
    this.#unfolded.push(...events)
    this.#hooks.published(this, events)
    return events
  }

  addCounts(counts: readonly StoredCount[]): void {
    for (const count of counts) this.counts.set(count.messageId, count)
    this.#newCounts.push(...counts)
  }

  takeNewCounts(): StoredCount[] {
    const counts = this.#newCounts
    this.#newCounts = []
    return counts
  }

  show(delta: StreamDelta): void {
    this.#unfolded.push(delta)
    if (this.#unfolded.length >= FOLD_AFTER) void this.snapshot
    this.#hooks.published(this, [delta])
  }

  /** The schema gives every event the field order of the log, so that what is shown is what is written, byte for byte. */
  #complete(draft: SessionEventDraft, ts: string, seq: number): SessionEvent {
    return SessionEventSchema.parse({ ...this.#hooks.clean(draft), seq, ts, sessionId: this.sessionId, eventId: newId('e') })
  }

  #remember(event: SessionEvent): void {
    extendHistory(this.#history, event)
    if (event.event === 'rewind') this.contextCursor = 0
    if (event.event === 'tool_call' && event.exposes !== undefined) this.exposure = addExposure(this.exposure, event.exposes)
    if (event.event === 'notice') this.noticed.add(event.code)
    if (event.event === 'stop_report') this.#lastSurvivors = event.survivors
    this.turns.remember(event)
  }
}
