/**
 * One provider's queue: so many requests at once, so many a minute, in fair turns between sessions.
 * Turns alone are not fair where a quota comes back all at once: a session with many requests waiting would
 * take what is left after everybody's turn. So a quota that several sessions share is given out evenly over
 * its interval, each place to who was served longest ago. Only a session's first request need not keep the rhythm.
 */
import PQueue, { type QueueAddOptions } from 'p-queue'
import type { AbortSignalLike } from '#contracts/metona/metona-adapter.ts'
import { FairTurns } from './domain/fair-turns.ts'

export interface QueueLimits {
  readonly concurrency: number
  /** Requests that may start within any `intervalMs`. Absent: no cap. */
  readonly perMinute?: number | undefined
}

export interface QueueWait {
  /** 0 is next. Absent when `ended`. */
  readonly position?: number
  /** Estimate of the end, milliseconds since the epoch; absent when only a free place is waited for. */
  readonly untilMs?: number
  readonly ended: boolean
}

export interface QueueTask {
  readonly sessionId: string
  readonly signal?: AbortSignalLike | undefined
  /** Called only when the task cannot start at once, again when its place changes, and once with `ended`. */
  readonly onWait: (wait: QueueWait) => void
}

export interface ProviderQueueOptions extends QueueLimits {
  /** The interval of `perMinute`; a minute unless a test has no time. */
  readonly intervalMs?: number
  /** False leaves the order to p-queue: first come, first served. The control of the fairness proof. */
  readonly fair?: boolean
}

type Run = () => Promise<unknown>
type AddOptions = QueueAddOptions & { readonly session?: string }
type FairPQueue = PQueue<FairTurns<Run>, AddOptions>
interface WaitingTask {
  readonly id: string
  readonly task: QueueTask
  reported: string
}

/** A pause is a pause of everybody's requests: longer than this one request tries again to see. */
const MAX_PAUSE_MS = 60_000

export class ProviderQueue {
  readonly #intervalMs: number
  readonly #fair: boolean
  #limits: QueueLimits
  #queue: FairPQueue
  /** Queues of former limits, until they are empty. */
  #former: FairPQueue[] = []
  #turns: FairTurns<Run> | undefined
  readonly #waiting = new Map<string, WaitingTask>()
  /** Session → when its latest request started; those of the last interval. */
  readonly #recent = new Map<string, number>()
  /** When the latest requests started, for the estimate; at most `perMinute` of them. */
  #starts: number[] = []
  #running = 0
  #nextId = 1
  /** Ends of the two kinds of pause: after a refusal, and until the next place of the rhythm. */
  #refusedUntil = 0
  #rhythmUntil = 0
  #pauseTimer: NodeJS.Timeout | undefined

  constructor(options: ProviderQueueOptions) {
    this.#intervalMs = options.intervalMs ?? 60_000
    this.#fair = options.fair ?? true
    this.#limits = options
    this.#queue = this.#createQueue()
  }

  get queued(): number {
    return this.#waiting.size
  }

  get running(): number {
    return this.#running
  }

  /** Holds for requests that come from now on. */
  setLimits(limits: QueueLimits): void {
    if (limits.concurrency === this.#limits.concurrency && limits.perMinute === this.#limits.perMinute) return
    const samePace = limits.perMinute === this.#limits.perMinute
    this.#limits = limits
    if (samePace) {
      this.#queue.concurrency = limits.concurrency
      return
    }
    // What waits already keeps the pace it was promised, in the queue it waits in.
    this.#former = [...this.#former, this.#queue].filter((queue) => queue.size + queue.pending > 0)
    this.#rhythmUntil = 0
    this.#queue = this.#createQueue()
    if (this.#heldUntil() <= performance.now()) this.#start()
  }

  /** After a refusal for too many requests: nothing more starts until then. A later end wins. */
  pause(milliseconds: number): void {
    const until = performance.now() + Math.min(Math.max(0, milliseconds), MAX_PAUSE_MS)
    if (until <= this.#refusedUntil) return
    this.#refusedUntil = until
    this.#hold()
    this.#reportPlaces()
  }

  /**
   * Runs `run` when it is its turn. Rejects with `run`'s error, or with `aborted` when the signal aborts while
   * waiting; once running, ending early is `run`'s own business, so that it can say how its socket closed.
   */
  async run<T>(run: () => Promise<T>, task: QueueTask): Promise<T> {
    const id = `q${this.#nextId++}`
    const waiting: WaitingTask = { id, task, reported: '' }
    const leave = new AbortController()
    const onAbort = (): void => leave.abort(new Error('aborted'))
    if (task.signal?.aborted === true) throw new Error('aborted')
    let started = false
    this.#waiting.set(id, waiting)
    task.signal?.addEventListener('abort', onAbort, { once: true })
    const begin = async (): Promise<T> => {
      started = true
      task.signal?.removeEventListener('abort', onAbort)
      this.#begin(waiting)
      try {
        return await run()
      } finally {
        this.#running -= 1
      }
    }
    const result = this.#queue.add(begin, { id, session: task.sessionId, signal: leave.signal })
    // p-queue starts what may start before it returns; a newcomer ends the pause that only keeps the rhythm.
    if (!started && this.#heldUntil() <= performance.now()) this.#start()
    if (!started) this.#report(waiting, this.#order())
    try {
      return (await result) as T
    } finally {
      task.signal?.removeEventListener('abort', onAbort)
      if (this.#waiting.delete(id)) {
        if (waiting.reported !== '') task.onWait({ ended: true })
        this.#reportPlaces()
      }
    }
  }

  /** Lets go of timers; what waits is not answered any more. */
  close(): void {
    clearTimeout(this.#pauseTimer)
    this.#pause()
  }

  #pause(): void {
    for (const queue of [this.#queue, ...this.#former]) queue.pause()
  }

  #start(): void {
    for (const queue of [...this.#former, this.#queue]) queue.start()
  }

  #createQueue(): FairPQueue {
    const { concurrency, perMinute } = this.#limits
    const pace = perMinute === undefined ? {} : { intervalCap: perMinute, interval: this.#intervalMs, strict: true }
    const turns = new FairTurns<Run>()
    this.#turns = this.#fair ? turns : undefined
    // p-queue makes its queue itself; this hands it the one that we can ask for the order.
    class OwnTurns {
      constructor() {
        return turns
      }
    }
    const queueClass = this.#fair ? { queueClass: OwnTurns as unknown as new () => FairTurns<Run> } : {}
    const queue: FairPQueue = new PQueue<FairTurns<Run>, AddOptions>({ concurrency, ...pace, ...queueClass })
    if (this.#heldUntil() > performance.now()) queue.pause()
    return queue
  }

  #begin(waiting: WaitingTask): void {
    this.#running += 1
    this.#waiting.delete(waiting.id)
    const cap = this.#limits.perMinute
    if (cap !== undefined) this.#countStart(waiting.task.sessionId, cap)
    if (waiting.reported !== '') waiting.task.onWait({ ended: true })
    this.#reportPlaces()
  }

  #countStart(sessionId: string, cap: number): void {
    const now = performance.now()
    this.#starts = [...this.#starts, now].slice(-cap)
    this.#recent.set(sessionId, now)
    for (const [session, at] of this.#recent) if (at <= now - this.#intervalMs) this.#recent.delete(session)
    // A session alone uses half of its quota as it likes; the rest in rhythm, so that a newcomer finds a place.
    if (!this.#fair || (!this.#isShared() && this.#starts.filter((at) => at > now - this.#intervalMs).length < cap / 2)) return
    this.#rhythmUntil = now + this.#intervalMs / cap
    this.#hold()
  }

  #isShared(): boolean {
    const first = this.#recent.keys().next().value
    if (this.#recent.size > 1) return true
    for (const { task } of this.#waiting.values()) if (task.sessionId !== first) return true
    return false
  }

  /** Sessions that had nothing in the last interval go first, so when one waits nobody else can take its place. */
  #newcomerWaits(): boolean {
    for (const { task } of this.#waiting.values()) if (!this.#recent.has(task.sessionId)) return true
    return false
  }

  #heldUntil(): number {
    return Math.max(this.#refusedUntil, this.#newcomerWaits() ? 0 : this.#rhythmUntil)
  }

  /** Nothing starts before the pauses that hold now are over. */
  #hold(): void {
    if (this.#heldUntil() <= performance.now()) return
    this.#pause()
    clearTimeout(this.#pauseTimer)
    this.#pauseTimer = setTimeout(
      () => {
        if (this.#heldUntil() > performance.now()) this.#hold()
        else this.#start()
      },
      Math.max(1, this.#heldUntil() - performance.now()),
    )
  }

  #order(): string[] {
    return this.#turns === undefined ? [...this.#waiting.keys()] : this.#turns.order()
  }

  #reportPlaces(): void {
    if (this.#waiting.size === 0) return
    const places = this.#order()
    for (const waiting of this.#waiting.values()) if (waiting.reported !== '') this.#report(waiting, places)
  }

  #report(waiting: WaitingTask, places: readonly string[]): void {
    const position = Math.max(0, places.indexOf(waiting.id))
    const untilMs = this.#estimate(position)
    const wait: QueueWait = { position, ...(untilMs === undefined ? {} : { untilMs }), ended: false }
    const text = JSON.stringify(wait)
    if (text === waiting.reported) return
    waiting.reported = text
    waiting.task.onWait(wait)
  }

  /** When the quota or a pause lets the place at `position` start; a free slot among the running cannot be foreseen. */
  #estimate(position: number): number | undefined {
    const now = performance.now()
    const cap = this.#limits.perMinute
    let at = Math.max(now, this.#heldUntil())
    if (cap !== undefined) {
      const gap = this.#fair && this.#isShared() ? this.#intervalMs / cap : 0
      const starts = [...this.#starts]
      for (let place = 0; place <= position; place += 1) {
        const oldest = starts.length < cap ? undefined : starts.at(-cap)
        at = Math.max(place === 0 ? at : at + gap, oldest === undefined ? 0 : oldest + this.#intervalMs)
        starts.push(at)
      }
    }
    // For people, by the clock on the wall; pauses themselves must not follow when somebody sets it.
    return at > now ? Math.round(Date.now() + at - now) : undefined
  }
}
