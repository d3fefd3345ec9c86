/** Coalesces stream events into posts: neighbouring deltas of one part become one, 16 ms or 2 KB make a batch. */
import type { LlmBatch } from '#contracts/llm/llm-service.ts'
import type { MetonaStreamEvent } from '#contracts/metona/metona-response.ts'
import { callMeter } from '#contracts/wire/call-meter.ts'
import { listen } from '#contracts/wire/listen.ts'
import type { Port } from '#contracts/wire/port.ts'

export const BATCH_MS = 16
/** UTF-16 code units. */
export const BATCH_LENGTH = 2_048
/** Of a stream nobody watches. */
const UNWATCHED_LENGTH = 65_536
/** Posts a receiver that acknowledges may be behind before the socket is no longer read. */
export const MAX_UNACKNOWLEDGED = 64

type Delta = Extract<MetonaStreamEvent, { delta: string }>

export class StreamBatcher {
  readonly #port: Port
  readonly #sessionId: string | undefined
  readonly #deafen: () => void
  #events: MetonaStreamEvent[] = []
  #length = 0
  #postedAt = -Infinity
  #batchMs = BATCH_MS
  #timer: NodeJS.Timeout | NodeJS.Immediate | undefined
  #timerKind: 'none' | 'soon' | 'later' = 'none'
  #turnEnds = false
  #posts = 0
  #acknowledged: number | undefined
  #open: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined

  /** @param sessionId for whom its bytes are counted */
  constructor(port: Port, sessionId?: string) {
    this.#port = port
    this.#sessionId = sessionId
    this.#deafen = listen(port, (data) => this.#onMessage(data))
    port.addEventListener('close', this.#onClose)
    port.start()
  }

  add(event: MetonaStreamEvent): void {
    if (!isDelta(event)) {
      this.#events.push(event)
      return this.#flushInTurn()
    }
    const last = this.#events.at(-1)
    if (last !== undefined && isDelta(last) && samePart(last, event)) last.delta += event.delta
    else this.#events.push({ ...event })
    this.#length += event.delta.length
    if (this.#length >= (this.#batchMs === BATCH_MS ? BATCH_LENGTH : UNWATCHED_LENGTH)) return this.flush()
    this.#schedule()
  }

  /** A queue or retry notice: what was before it goes first. */
  post(batch: LlmBatch): void {
    this.flush()
    this.#send(batch)
  }

  flush(): void {
    this.#unschedule()
    if (this.#events.length === 0) return
    const events = this.#events
    this.#events = []
    this.#length = 0
    this.#send({ events })
  }

  /**
   * Open while the receiver is too far behind. Only a receiver that has ever acknowledged (`{ ack: posts }`)
   * is waited for; the others take everything.
   */
  gate(): Promise<void> | undefined {
    return this.#open?.promise
  }

  /** Posts the receiver says it has taken in; undefined before its first word. */
  get acknowledged(): number | undefined {
    return this.#acknowledged
  }

  /** Posts what is left and closes the port: its end tells the receiver that everything has arrived. */
  close(): void {
    this.flush()
    this.#deafen()
    this.#port.removeEventListener('close', this.#onClose)
    this.#release()
    this.#port.close()
  }

  #send(batch: LlmBatch): void {
    this.#postedAt = performance.now()
    this.#posts += 1
    this.#port.postMessage(batch)
    callMeter()?.message('llm.stream', batch, this.#sessionId)
    if (this.#acknowledged === undefined || this.#open !== undefined || this.#posts - this.#acknowledged < MAX_UNACKNOWLEDGED) return
    let resolve: () => void = () => undefined
    const promise = new Promise<void>((done) => (resolve = done))
    this.#open = { promise, resolve }
  }

  /** Not held back, but what is emitted in the same breath (the end of a stream) goes as one post. */
  #flushInTurn(): void {
    if (this.#turnEnds) return
    this.#turnEnds = true
    queueMicrotask(() => {
      this.#turnEnds = false
      this.flush()
    })
  }

  #schedule(): void {
    if (this.#timerKind !== 'none') return
    const wait = this.#postedAt + this.#batchMs - performance.now()
    if (wait <= 0) {
      // After a silence the first words go out with the end of this read, not 16 ms later.
      this.#timerKind = 'soon'
      this.#timer = setImmediate(() => this.flush())
    } else {
      this.#timerKind = 'later'
      this.#timer = setTimeout(() => this.flush(), wait)
    }
  }

  #unschedule(): void {
    if (this.#timerKind === 'soon') clearImmediate(this.#timer as NodeJS.Immediate)
    else if (this.#timerKind === 'later') clearTimeout(this.#timer as NodeJS.Timeout)
    this.#timerKind = 'none'
  }

  readonly #onMessage = (data: unknown): void => {
    const pace = (data as { pace?: unknown } | null)?.pace
    if (typeof pace === 'number') return this.#setPace(pace)
    const ack = (data as { ack?: unknown } | null)?.ack
    if (typeof ack !== 'number') return
    this.#acknowledged = Math.max(this.#acknowledged ?? 0, ack)
    if (this.#posts - this.#acknowledged < MAX_UNACKNOWLEDGED) this.#release()
  }

  /** Somebody started to watch: what waited for the slow pace goes at once. */
  #setPace(batchMs: number): void {
    const faster = batchMs < this.#batchMs
    this.#batchMs = Math.max(BATCH_MS, batchMs)
    if (faster) this.flush()
  }

  /** Nobody listens any more: nothing is worth waiting for. */
  readonly #onClose = (): void => this.#release()

  #release(): void {
    this.#open?.resolve()
    this.#open = undefined
  }
}

function isDelta(event: MetonaStreamEvent): event is Delta {
  return event.type === 'text_delta' || event.type === 'reasoning_delta' || event.type === 'tool_call_delta'
}

function samePart(one: Delta, other: Delta): boolean {
  if (one.type === 'tool_call_delta') return other.type === 'tool_call_delta' && one.toolCallId === other.toolCallId
  return one.type === other.type
}
