/** Keeps one transport open: reconnects with back-off and says in which state the connection is. */
import type { ClientMessage } from '#contracts/session/client-protocol.ts'
import type { Transport, TransportFactory } from './transport.ts'

export type LinkState =
  | { readonly state: 'connecting'; readonly attempt: number }
  | { readonly state: 'open' }
  /** Lost; the next attempt is at `retryAt` (epoch milliseconds). */
  | { readonly state: 'waiting'; readonly attempt: number; readonly retryAt: number }
  /** The host runs but no longer accepts this page; only opening it anew helps. */
  | { readonly state: 'refused' }

export interface LinkOptions {
  readonly factory: TransportFactory
  onState(state: LinkState): void
  onMessage(data: unknown): void
  /** Milliseconds before attempt n (from 1); the last value repeats. */
  readonly delays?: readonly number[]
  /** An attempt that neither opens nor closes within this time counts as failed. */
  readonly openTimeoutMs?: number
  readonly now?: () => number
}

const DELAYS = [200, 500, 1000, 2000, 4000, 8000]

export class Link {
  readonly #options: LinkOptions
  #transport: Transport | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #attempt = 0
  #state: LinkState = { state: 'connecting', attempt: 0 }
  #stopped = false

  constructor(options: LinkOptions) {
    this.#options = options
  }

  get state(): LinkState {
    return this.#state
  }

  start(): void {
    this.#stopped = false
    this.#connect()
  }

  /** Ends the connection for good. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
    this.#transport?.close()
  }

  /** Skips the rest of the waiting time (the person asked, the network came back, the page became visible). */
  retryNow(): void {
    if (this.#state.state !== 'waiting') return
    this.#connect()
  }

  /** Closes a connection whose peer talks nonsense; the usual reconnection follows. */
  drop(): void {
    this.#transport?.close()
  }

  send(message: ClientMessage): void {
    this.#transport?.send(message)
  }

  #connect(): void {
    clearTimeout(this.#timer)
    this.#attempt += 1
    this.#set({ state: 'connecting', attempt: this.#attempt })
    let opened = false
    const transport = this.#options.factory.open({
      onOpen: () => {
        opened = true
        clearTimeout(this.#timer)
        this.#attempt = 0
        this.#set({ state: 'open' })
      },
      onMessage: (data) => this.#options.onMessage(data),
      onClose: () => void this.#closed(opened),
    })
    this.#transport = transport
    if (!opened) this.#timer = setTimeout(() => transport.close(), this.#options.openTimeoutMs ?? 10_000)
  }

  async #closed(opened: boolean): Promise<void> {
    clearTimeout(this.#timer)
    this.#transport = undefined
    if (this.#stopped) return
    this.#wait()
    if (opened || this.#options.factory.probe === undefined) return
    const attempt = this.#attempt
    const found = await this.#options.factory.probe()
    if (found !== 'refused' || this.#stopped || this.#attempt !== attempt || this.#state.state !== 'waiting') return
    clearTimeout(this.#timer)
    this.#set({ state: 'refused' })
  }

  #wait(): void {
    const delays = this.#options.delays ?? DELAYS
    const delay = delays[Math.min(this.#attempt, delays.length - 1)] ?? 8000
    const now = this.#options.now ?? Date.now
    this.#set({ state: 'waiting', attempt: this.#attempt, retryAt: now() + delay })
    this.#timer = setTimeout(() => this.#connect(), delay)
  }

  #set(state: LinkState): void {
    this.#state = state
    this.#options.onState(state)
  }
}
