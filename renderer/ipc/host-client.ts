/** Calls to the session worker and what it sends unasked. One per page. Everything received is checked before use. */
import '#renderer/app/strict-csp.ts'
import { HostMessageSchema, type Banner, type ClientMessage, type HostMessage } from '#contracts/session/client-protocol.ts'
import { commands } from '#contracts/session/commands.ts'
import type { SessionSummary } from '#contracts/session/session-snapshot.ts'
import { AppError, WireErrorCode, type AppErrorData } from '#contracts/wire/app-error.ts'
import type * as z from 'zod'
import { Link, type LinkOptions, type LinkState } from './link.ts'
import { SessionFeed, type FeedPort } from './session-feed.ts'

type Methods = (typeof commands)['methods']
export type MethodName = keyof Methods
export type MethodInput<M extends MethodName> = z.input<Methods[M]['input']>
export type MethodOutput<M extends MethodName> = z.output<Methods[M]['output']>

/** Errors only a client can have. */
export const ClientErrorCode = {
  /** Not connected, or the connection went before the answer came: the call may or may not have happened. */
  CONNECTION_LOST: 'CONNECTION_LOST',
} as const

export interface CallOptions {
  readonly deadlineMs?: number
  readonly signal?: AbortSignal
}

export interface HostClientEvents {
  onLink(state: LinkState): void
  onList(rows: readonly SessionSummary[], removed: readonly string[]): void
  onBanners(banners: readonly Banner[]): void
  /** The session worker was replaced; called after every open call was rejected. */
  onReset(): void
  /** The host sent something this page does not understand: one of them is of another version. */
  onIncompatible(detail: string): void
}

interface OpenCall {
  readonly method: MethodName
  resolve(value: unknown): void
  reject(error: AppError): void
  readonly timer: ReturnType<typeof setTimeout>
}

export class HostClient {
  readonly feed: SessionFeed
  readonly #link: Link
  readonly #events: HostClientEvents
  readonly #calls = new Map<number, OpenCall>()
  #lastCallId = 0
  #stopped = false

  constructor(events: HostClientEvents, link: Pick<LinkOptions, 'factory' | 'delays'>) {
    this.#events = events
    const port: FeedPort = {
      subscribe: (sessionId, newest) => this.call('session.subscribe', { sessionId, newest }),
      items: (sessionId, before, limit) => this.call('session.items', { sessionId, before, limit }),
      unsubscribe: (sessionId) => this.call('session.unsubscribe', { sessionId }),
      acknowledge: (post) => this.#link.send({ type: 'ack', post }),
    }
    this.feed = new SessionFeed(port, link.delays)
    this.#link = new Link({
      ...link,
      onState: (state) => this.#linkChanged(state),
      onMessage: (data) => this.#receive(data),
    })
  }

  start(): void {
    this.#stopped = false
    this.#link.start()
  }

  stop(): void {
    this.#stopped = true
    this.#link.stop()
    this.#rejectAll(connectionLost())
    this.feed.stop()
  }

  retryNow(): void {
    this.#link.retryNow()
  }

  /**
   * Resolves with the checked answer. Rejects with `AppError` only: the host's own code, `CONNECTION_LOST`,
   * `CALL_TIMEOUT`, `CALL_CANCELLED`, `BAD_OUTPUT`, or `WORKER_LOST` when the session worker was replaced.
   */
  call<M extends MethodName>(method: M, params: MethodInput<M>, options: CallOptions = {}): Promise<MethodOutput<M>> {
    if (this.#stopped || this.#link.state.state !== 'open') return Promise.reject(connectionLost())
    const id = ++this.#lastCallId
    const deadlineMs = options.deadlineMs ?? commands.methods[method].deadlineMs
    return new Promise<MethodOutput<M>>((resolve, reject) => {
      const abandon = (data: AppErrorData): void => {
        if (this.#settle(id) === undefined) return
        this.#link.send({ type: 'cancel', id })
        reject(new AppError(data))
      }
      const timer = setTimeout(
        () => abandon({ code: WireErrorCode.CALL_TIMEOUT, message: `${method} did not answer within ${deadlineMs} ms`, retryable: true }),
        deadlineMs,
      )
      this.#calls.set(id, { method, resolve: (value) => resolve(value as MethodOutput<M>), reject, timer })
      options.signal?.addEventListener('abort', () => abandon({ code: WireErrorCode.CALL_CANCELLED, message: `${method} was cancelled` }), {
        once: true,
      })
      const message: ClientMessage = { type: 'call', id, method, params }
      this.#link.send(message)
    })
  }

  #linkChanged(state: LinkState): void {
    if (state.state === 'waiting' || state.state === 'refused') {
      this.#rejectAll(connectionLost())
      this.feed.disconnected()
    }
    this.#events.onLink(state)
  }

  #receive(data: unknown): void {
    const parsed = HostMessageSchema.safeParse(data)
    if (!parsed.success) {
      this.#events.onIncompatible(parsed.error.message)
      return
    }
    this.#dispatch(parsed.data)
  }

  #dispatch(message: HostMessage): void {
    switch (message.type) {
      case 'result':
        return this.#resolve(message.id, message.value)
      case 'failure':
        return this.#settle(message.id)?.reject(new AppError(message.error))
      case 'post':
        return this.feed.take(message.post, message.parts)
      case 'list':
        return this.#events.onList(message.rows, message.removed)
      case 'banners':
        return this.#events.onBanners(message.banners)
      case 'reset':
        this.#rejectAll({ code: WireErrorCode.WORKER_LOST, message: message.reason, retryable: true })
        this.feed.disconnected()
        return this.#events.onReset()
    }
  }

  #resolve(id: number, value: unknown): void {
    const call = this.#settle(id)
    if (call === undefined) return
    const parsed = commands.methods[call.method].output.safeParse(value)
    if (parsed.success) call.resolve(parsed.data)
    else call.reject(new AppError({ code: WireErrorCode.BAD_OUTPUT, message: `${call.method}: ${parsed.error.message}` }))
  }

  #settle(id: number): OpenCall | undefined {
    const call = this.#calls.get(id)
    if (call === undefined) return undefined
    clearTimeout(call.timer)
    this.#calls.delete(id)
    return call
  }

  #rejectAll(error: AppErrorData | AppError): void {
    for (const id of [...this.#calls.keys()]) this.#settle(id)?.reject(error instanceof AppError ? error : new AppError(error))
  }
}

function connectionLost(): AppError {
  return new AppError({ code: ClientErrorCode.CONNECTION_LOST, message: 'no connection to the pipeline host', retryable: true })
}
