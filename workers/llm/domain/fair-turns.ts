/**
 * Whose turn it is among sessions that share a provider: the one served longest ago, each session's own
 * requests in their order. Has the shape that p-queue asks of a queue, and knows nothing else of it.
 */

export interface TurnOptions {
  readonly id?: string | undefined
  readonly session?: string | undefined
}

interface Waiting<Run> {
  readonly id: string
  readonly run: Run
}

/** Sessions remembered after their last request; more are forgotten oldest first. */
const REMEMBERED = 1_000

export class FairTurns<Run> {
  readonly #waiting = new Map<string, Waiting<Run>[]>()
  /** Session → number of the turn it last had. Insertion order is turn order. */
  readonly #served = new Map<string, number>()
  #turn = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  enqueue(run: Run, options: TurnOptions = {}): void {
    const session = options.session ?? ''
    const list = this.#waiting.get(session)
    const entry = { id: options.id ?? '', run }
    if (list === undefined) this.#waiting.set(session, [entry])
    else list.push(entry)
    this.#size += 1
  }

  dequeue(): Run | undefined {
    const session = this.#next(this.#served, this.#waiting.keys())
    if (session === undefined) return undefined
    const list = this.#waiting.get(session) ?? []
    const entry = list.shift()
    if (list.length === 0) this.#waiting.delete(session)
    if (entry === undefined) return undefined
    this.#size -= 1
    this.#serve(session)
    return entry.run
  }

  /** Takes a request that is no longer wanted out; the session's turn is not used up. */
  remove(id: string): void {
    for (const [session, list] of this.#waiting) {
      const index = list.findIndex((entry) => entry.id === id)
      if (index < 0) continue
      list.splice(index, 1)
      this.#size -= 1
      if (list.length === 0) this.#waiting.delete(session)
      return
    }
  }

  /** Ids in the order in which they will have their turn, as things stand. */
  order(): string[] {
    const served = new Map(this.#served)
    const left = new Map([...this.#waiting].map(([session, list]) => [session, list.map((entry) => entry.id)]))
    const ids: string[] = []
    for (let turn = this.#turn + 1; left.size > 0; turn += 1) {
      const session = this.#next(served, left.keys())
      if (session === undefined) break
      const list = left.get(session) ?? []
      const id = list.shift()
      if (id !== undefined) ids.push(id)
      if (list.length === 0) left.delete(session)
      served.set(session, turn)
    }
    return ids
  }

  /** All wait alike; p-queue asks for this to raise one. */
  setPriority(): void {}

  filter(): Run[] {
    return [...this.#waiting.values()].flatMap((list) => list.map((entry) => entry.run))
  }

  #next(served: ReadonlyMap<string, number>, sessions: Iterable<string>): string | undefined {
    let best: string | undefined
    let bestTurn = Infinity
    for (const session of sessions) {
      const turn = served.get(session) ?? -1
      if (turn < bestTurn) {
        best = session
        bestTurn = turn
      }
    }
    return best
  }

  #serve(session: string): void {
    this.#turn += 1
    this.#served.delete(session)
    this.#served.set(session, this.#turn)
    if (this.#served.size <= REMEMBERED) return
    for (const known of this.#served.keys()) {
      if (this.#served.size <= REMEMBERED) return
      this.#served.delete(known)
    }
  }
}
