/** What runs in a session: one turn at a time, and what waits behind it. */
import type { MetonaImage } from '#contracts/metona/metona-request.ts'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { awakeTimeout } from '#contracts/wire/awake-timeout.ts'
import PQueue from 'p-queue'
import type { LiveSession } from './live-session.ts'

export interface TurnHooks {
  /** Leaves out what must not be written or shown. */
  clean<T>(value: T): T
  /** Runs one turn for a committed user message; never rejects. */
  runTurn(session: LiveSession, input: { turn: number; userInput: string; signal: AbortSignal }): Promise<void>
}

export class SessionTurns {
  readonly #session: LiveSession
  readonly #hooks: TurnHooks
  /** One prompt at a time. Stop, approvals and subscriptions never wait here. */
  readonly #prompts = new PQueue({ concurrency: 1 })
  #running: { controller: AbortController; ended: Promise<void> } | undefined
  readonly #seenMessages = new Set<string>()
  readonly #images = new Map<string, MetonaImage[]>()

  constructor(session: LiveSession, hooks: TurnHooks) {
    this.#session = session
    this.#hooks = hooks
  }

  get running(): boolean {
    return this.#running !== undefined
  }

  get #busy(): boolean {
    return this.running || this.#prompts.size + this.#prompts.pending > 0
  }

  /** Every event of the session comes by here, also those of earlier runs. */
  remember(event: SessionEvent): void {
    if (event.event !== 'user_message' && event.event !== 'message_queued') return
    this.#seenMessages.add(event.messageId)
    if (event.images !== undefined) this.#images.set(event.messageId, event.images)
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
      await this.#session.commit([
        { event: 'message_queued', messageId: input.messageId, content: input.content, ...images, steering: input.whenBusy === 'steer' },
      ])
      if (!this.running) this.runQueued()
      return 'queued'
    }
    const turn = this.#session.snapshot.turn + 1
    // The queue is taken before the commit, so that a second message cannot slip in front.
    const committed = this.#session.commit([{ event: 'user_message', messageId: input.messageId, content: input.content, ...images, turn }])
    const ended = this.#run(committed, turn, input.content)
    void this.#prompts.add(() => ended)
    await committed
    return 'started'
  }

  /** Starts the oldest queued message as a turn of its own. */
  runQueued(): void {
    void this.#prompts.add(async () => {
      const next = this.#session.snapshot.queue[0]
      if (next === undefined) return
      const turn = this.#session.snapshot.turn + 1
      const images = this.#images.get(next.messageId)
      const committed = this.#session.commit([
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
    const message = this.#session.snapshot.items.findLast((item) => item.kind === 'user' && item.superseded !== true)
    if (message?.kind !== 'user') throw new AppError({ code: 'NOTHING_TO_RETRY', message: 'there is no message to answer again' })
    const turn = this.#session.snapshot.turn + 1
    const committed = this.#session.commit([{ event: 'rewind', toSeq: message.seq, reason: 'retry', turn }])
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
    const old = this.#session.snapshot.items.findLast(
      (item) => item.kind === 'user' && item.id === asked.messageId && item.superseded !== true,
    )
    if (old?.kind !== 'user') throw new AppError({ code: 'MESSAGE_NOT_FOUND', message: `there is no message ${asked.messageId} to edit` })
    const content = this.#hooks.clean(asked.content)
    const images = asked.images ?? this.#images.get(asked.messageId)
    this.#seenMessages.add(asked.newMessageId)
    const turn = this.#session.snapshot.turn + 1
    const committed = this.#session.commit([
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
      if (this.#session.failure === undefined && this.#session.snapshot.queue.length > 0) this.runQueued()
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
      const { timeoutMs } = this.#session
      const overdue = (): void =>
        controller.abort(new AppError({ code: 'TURN_TIMEOUT', message: `the turn took longer than ${(timeoutMs ?? 0) / 1000} s` }))
      const stopWaiting = timeoutMs === undefined ? undefined : awakeTimeout(overdue, timeoutMs)
      await this.#hooks.runTurn(this.#session, { turn, userInput, signal: controller.signal })
      stopWaiting?.()
    }
    this.#running = undefined
    // After Stop the person decides; otherwise what was queued goes next.
    if (!controller.signal.aborted && this.#session.failure === undefined && this.#session.snapshot.queue.length > 0) this.runQueued()
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
