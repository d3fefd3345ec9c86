/** Deadlines that count only time in which this process was awake: a laptop lid closed for an hour is no timeout. */

/** Longest stretch one look may count; a longer one means that the machine slept or the thread was held up. */
const LOOK_MS = 1_000

export interface Deadlines {
  /** Until the TCP and TLS connection stands. */
  readonly connectMs: number
  /** From the request to the first byte of the answer's body. */
  readonly firstByteMs: number
  /** Between two bytes of the body, whatever they are. */
  readonly idleMs: number
  /** The whole exchange. */
  readonly totalMs: number
  /** After a finish, for what may still follow (usage, end mark). */
  readonly trailerMs: number
}

export type DeadlineName = 'connect' | 'first_byte' | 'idle' | 'total' | 'trailer'

export type ExchangePhase = 'connecting' | 'waiting' | 'receiving' | 'finished'

export class DeadlineWatch {
  readonly #deadlines: Deadlines
  readonly #onPassed: (name: DeadlineName) => void
  readonly #lookMs: number
  #phase: ExchangePhase = 'connecting'
  #inPhase = 0
  #total = 0
  #lookedAt: number
  #paused = false
  #timer: NodeJS.Timeout

  constructor(deadlines: Deadlines, onPassed: (name: DeadlineName) => void) {
    this.#deadlines = deadlines
    this.#onPassed = onPassed
    this.#lookMs = Math.max(
      5,
      Math.min(
        LOOK_MS,
        ...[deadlines.connectMs, deadlines.firstByteMs, deadlines.idleMs, deadlines.totalMs, deadlines.trailerMs].map((limit) => limit / 4),
      ),
    )
    this.#lookedAt = performance.now()
    this.#timer = setInterval(() => this.#look(), this.#lookMs)
  }

  enter(phase: ExchangePhase): void {
    if (this.#phase === phase || this.#phase === 'finished') return
    this.#count()
    this.#phase = phase
    this.#inPhase = 0
  }

  /** A byte came. Costs next to nothing: it is called for every read. */
  alive(): void {
    if (this.#phase === 'waiting') this.#phase = 'receiving'
    if (this.#phase === 'receiving') this.#inPhase = 0
  }

  /** While we do not read ourselves, silence is not the provider's. */
  pause(paused: boolean): void {
    this.#count()
    this.#paused = paused
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    this.#count()
    if (this.#total >= this.#deadlines.totalMs) return this.#onPassed('total')
    switch (this.#phase) {
      case 'connecting':
        if (this.#inPhase >= this.#deadlines.connectMs) this.#onPassed('connect')
        return
      case 'waiting':
        if (this.#inPhase >= this.#deadlines.firstByteMs) this.#onPassed('first_byte')
        return
      case 'receiving':
        if (this.#inPhase >= this.#deadlines.idleMs) this.#onPassed('idle')
        return
      case 'finished':
        if (this.#inPhase >= this.#deadlines.trailerMs) this.#onPassed('trailer')
    }
  }

  #count(): void {
    const now = performance.now()
    const passed = Math.min(now - this.#lookedAt, this.#lookMs * 2)
    this.#lookedAt = now
    if (this.#paused) return
    this.#inPhase += passed
    this.#total += passed
  }
}
