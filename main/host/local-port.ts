/** Two port ends inside one thread, for a client that lives beside the host (the terminal). No clone: the next real port clones. */
import type { Port, PortMessage } from '#contracts/wire/port.ts'

export function localPorts(): [Port, Port] {
  const left = new End()
  const right = new End()
  left.join(right)
  right.join(left)
  return [left, right]
}

type Listener = (event: PortMessage) => void

class End implements Port {
  #other: End | undefined
  #queue: unknown[] | undefined = []
  readonly #listeners = { message: new Set<Listener>(), close: new Set<Listener>() }

  join(other: End): void {
    this.#other = other
  }

  postMessage(message: unknown): void {
    this.#other?.deliver(message)
  }

  addEventListener(type: 'message' | 'close', listener: Listener): void {
    this.#listeners[type].add(listener)
  }

  removeEventListener(type: 'message' | 'close', listener: Listener): void {
    this.#listeners[type].delete(listener)
  }

  start(): void {
    const waiting = this.#queue ?? []
    this.#queue = undefined
    for (const message of waiting) this.deliver(message)
  }

  close(): void {
    const other = this.#other
    this.#other = undefined
    if (other === undefined) return
    other.close()
    this.#emit('close', undefined)
  }

  deliver(message: unknown): void {
    if (this.#queue !== undefined) this.#queue.push(message)
    else this.#emit('message', message)
  }

  #emit(type: 'message' | 'close', data: unknown): void {
    for (const listener of [...this.#listeners[type]]) listener({ data })
  }
}
