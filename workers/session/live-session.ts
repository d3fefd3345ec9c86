/**
 * A session held in memory: its folded state, its history, its running turn. All its events go through
 * `commit`, which gives them their seq, makes them durable and only then shows them.
 */
import type { CompactionState } from '#contracts/context/compaction.ts'
import type { MetonaImage, MetonaMessage, MetonaRequest } from '#contracts/metona/metona-request.ts'
import type { CallExposure } from '#contracts/session/call-exposure.ts'
import type { SessionEntry } from '#contracts/session/client-protocol.ts'
import { emptySnapshot, reduceSession } from '#contracts/session/reduce-session.ts'
import { SessionEventSchema, type SessionEvent, type SessionEventDraft } from '#contracts/session/session-event.ts'
import type { SessionSnapshot } from '#contracts/session/session-snapshot.ts'
import type { StreamDelta } from '#contracts/session/stream-delta.ts'
import type { StoredCount } from '#contracts/context/token-report.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { awakeTimeout } from '#contracts/wire/awake-timeout.ts'
import PQueue from 'p-queue'
import { ApprovalDesk } from './approval-desk.ts'
import { emptyHistory, extendHistory, type History } from './domain/history.ts'
import { addExposure } from './domain/session-exposure.ts'
import { newId } from './new-id.ts'
import type { SessionStore } from './session-store.ts'

/** Deltas are folded in runs of this many; a snapshot folds the rest first. */
const FOLD_AFTER = 256

export interface LiveSessionHooks {
  /** Shows entries to clients and updates the list row. */
  published(session: LiveSession, entries: readonly SessionEntry[]): void
  /** Leaves out what must not be written or shown. */
  clean<T>(value: T): T
  /** Its events can no longer be written, and never will be by this object. Called once. */
  failed(session: LiveSession): void
  /** Runs one turn for a committed user message; never rejects. */
  runTurn(session: LiveSession, input: { turn: number; userInput: string; signal: AbortSignal }): Promise<void>
}

export class LiveSession {
  readonly sessionId: string
  readonly workspace: string
  readonly approvals: ApprovalDesk
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
  /** One prompt at a time. Stop, approvals and subscriptions never wait here. */
  readonly #prompts = new PQueue({ concurrency: 1 })
  readonly #history: History = emptyHistory()
  #snapshot: SessionSnapshot
  #watched = false
  readonly #watchListeners = new Set<(watched: boolean) => void>()
  #unfolded: SessionEntry[] = []
  #nextSeq = 0
  #running: { controller: AbortController; ended: Promise<void> } | undefined
  #lastSurvivors: number[] = []
  #failureTold = false
  readonly #seenMessages = new Set<string>()
  readonly #images = new Map<string, MetonaImage[]>()

  constructor(sessionId: string, workspace: string, store: SessionStore, hooks: LiveSessionHooks, events: readonly SessionEvent[] = []) {
    this.sessionId = sessionId
    this.workspace = workspace
    this.#store = store
    this.#hooks = hooks
    this.#snapshot = reduceSession(emptySnapshot(sessionId), events)
    this.approvals = new ApprovalDesk()
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

  get running(): boolean {
    return this.#running !== undefined
  }

  get #busy(): boolean {
    return this.running || this.#prompts.size + this.#prompts.pending > 0
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
  get recalled(): ReadonlySet<string> {
    return this.#history.recalled
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

  /** Takes a message: starts a turn, or queues it while one runs (or while older ones wait). */
  async prompt(asked: {
    messageId: string
    content: string
    images: MetonaImage[] | undefined
    whenBusy: 'queue' | 'steer' | 'refuse'
  }): Promise<'started' | 'queued' | 'duplicate'> {
    const input = { ...asked, content: this.#hooks.clean(asked.content) }
    if (this.#seenMessages.has(input.messageId)) return 'duplicate'
    const mustWait = this.#busy
    if (mustWait && input.whenBusy === 'refuse') throw busy()
    this.#seenMessages.add(input.messageId)
    if (input.images !== undefined) this.#images.set(input.messageId, input.images)
    const images = input.images === undefined ? {} : { images: input.images }
    if (mustWait) {
      await this.commit([
        { event: 'message_queued', messageId: input.messageId, content: input.content, ...images, steering: input.whenBusy === 'steer' },
      ])
      if (!this.running) this.runQueued()
      return 'queued'
    }
    const turn = this.snapshot.turn + 1
    // The queue is taken before the commit, so that a second message cannot slip in front.
    const committed = this.commit([{ event: 'user_message', messageId: input.messageId, content: input.content, ...images, turn }])
    const ended = this.#run(committed, turn, input.content)
    void this.#prompts.add(() => ended)
    await committed
    return 'started'
  }

  /** Starts the oldest queued message as a turn of its own. */
  runQueued(): void {
    void this.#prompts.add(async () => {
      const next = this.snapshot.queue[0]
      if (next === undefined) return
      const turn = this.snapshot.turn + 1
      const images = this.#images.get(next.messageId)
      const committed = this.commit([
        { event: 'user_message', messageId: next.messageId, content: next.content, ...(images === undefined ? {} : { images }), turn },
      ])
      await this.#run(committed, turn, next.content)
    })
  }

  /**
   * Answers the last user message once more, as a turn of its own: what came after it is no longer sent.
   * @throws AppError NOTHING_TO_RETRY
   */
  async retry(): Promise<void> {
    if (this.#busy) throw busy()
    const message = this.snapshot.items.findLast((item) => item.kind === 'user' && item.superseded !== true)
    if (message?.kind !== 'user') throw new AppError({ code: 'NOTHING_TO_RETRY', message: 'there is no message to answer again' })
    const turn = this.snapshot.turn + 1
    const committed = this.commit([{ event: 'rewind', toSeq: message.seq, reason: 'retry', turn }])
    const ended = this.#run(committed, turn, message.content)
    void this.#prompts.add(() => ended)
    await committed
  }

  /**
   * Says a message anew: what came from it on is no longer sent.
   * @throws AppError MESSAGE_NOT_FOUND
   */
  async edit(asked: {
    messageId: string
    newMessageId: string
    content: string
    images?: MetonaImage[] | undefined
  }): Promise<'started' | 'duplicate'> {
    if (this.#seenMessages.has(asked.newMessageId)) return 'duplicate'
    if (this.#busy) throw busy()
    const old = this.snapshot.items.findLast((item) => item.kind === 'user' && item.id === asked.messageId && item.superseded !== true)
    if (old?.kind !== 'user') throw new AppError({ code: 'MESSAGE_NOT_FOUND', message: `there is no message ${asked.messageId} to edit` })
    const content = this.#hooks.clean(asked.content)
    const images = asked.images ?? this.#images.get(asked.messageId)
    this.#seenMessages.add(asked.newMessageId)
    const turn = this.snapshot.turn + 1
    const committed = this.commit([
      { event: 'rewind', toSeq: old.seq - 1, reason: 'edit', turn },
      { event: 'user_message', messageId: asked.newMessageId, content, ...(images === undefined ? {} : { images }), turn },
    ])
    const ended = this.#run(committed, turn, content)
    void this.#prompts.add(() => ended)
    await committed
    return 'started'
  }

  /**
   * Work between turns: messages that come meanwhile wait behind it, Stop or `cancel` ends it.
   * @throws AppError SESSION_BUSY
   */
  async betweenTurns<T>(work: (signal: AbortSignal) => Promise<T>, cancel: AbortSignal): Promise<T> {
    if (this.#busy) throw busy()
    const controller = new AbortController()
    const done = work(AbortSignal.any([controller.signal, cancel])).finally(() => {
      this.#running = undefined
    })
    const ended = succeeded(done).then(() => undefined)
    this.#running = { controller, ended }
    void this.#prompts.add(() => ended)
    try {
      return await done
    } finally {
      if (this.failure === undefined && this.snapshot.queue.length > 0) this.runQueued()
    }
  }

  imagesOf(messageId: string): MetonaImage[] | undefined {
    return this.#images.get(messageId)
  }

  /** Resolves when the turn has ended on disk. Queued messages stay queued. */
  async stop(reason?: AppError): Promise<boolean> {
    const running = this.#running
    if (running === undefined) return false
    running.controller.abort(reason ?? new AppError({ code: 'USER_STOPPED', message: 'stopped by the person' }))
    await running.ended
    return true
  }

  /** Resolves when no turn runs. */
  async idle(): Promise<void> {
    await this.#prompts.onIdle()
  }

  /** Running from now on, so that Stop also ends a turn whose message is still being committed. Never rejects. */
  #run(committed: Promise<unknown>, turn: number, userInput: string): Promise<void> {
    const controller = new AbortController()
    const ended = this.#runToEnd(committed, controller, turn, userInput)
    this.#running = { controller, ended }
    return ended
  }

  async #runToEnd(committed: Promise<unknown>, controller: AbortController, turn: number, userInput: string): Promise<void> {
    if (await succeeded(committed)) {
      const { timeoutMs } = this
      const overdue = (): void =>
        controller.abort(new AppError({ code: 'TURN_TIMEOUT', message: `the turn took longer than ${(timeoutMs ?? 0) / 1000} s` }))
      const stopWaiting = timeoutMs === undefined ? undefined : awakeTimeout(overdue, timeoutMs)
      await this.#hooks.runTurn(this, { turn, userInput, signal: controller.signal })
      stopWaiting?.()
    }
    this.#running = undefined
    // After Stop the person decides; otherwise what was queued goes next.
    if (!controller.signal.aborted && this.failure === undefined && this.snapshot.queue.length > 0) this.runQueued()
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
    if (event.event === 'user_message' || event.event === 'message_queued') {
      this.#seenMessages.add(event.messageId)
      if (event.images !== undefined) this.#images.set(event.messageId, event.images)
    }
  }
}

function busy(): AppError {
  return new AppError({ code: 'SESSION_BUSY', message: 'a turn is running in this session' })
}

/** The caller of `prompt` gets the rejection; here it only means that there is nothing to run. */
async function succeeded(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
}
