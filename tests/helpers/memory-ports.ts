/**
 * Two ends of a channel inside one thread that behave as a real one: every message is cloned, delivery is
 * asynchronous and in order, messages wait for `start`, and each end is told once that the other is gone.
 */
import type { Port, PortMessage } from '#contracts/wire/port.ts'

type Listener = (event: PortMessage) => void

class MemoryPort implements Port {
  #other: MemoryPort | undefined
  #started = false
  #closed = false
  readonly #waiting: unknown[] = []
  readonly #listeners = { message: new Set<Listener>(), close: new Set<Listener>() }

  static pair(): [Port, Port] {
    const left = new MemoryPort()
    const right = new MemoryPort()
    left.#other = right
    right.#other = left
    return [left, right]
  }

  postMessage(message: unknown): void {
    const other = this.#other
    const clone: unknown = structuredClone(message)
    if (other !== undefined) queueMicrotask(() => other.#receive(clone))
  }

  addEventListener(type: 'message' | 'close', listener: Listener): void {
    this.#listeners[type].add(listener)
  }

  removeEventListener(type: 'message' | 'close', listener: Listener): void {
    this.#listeners[type].delete(listener)
  }

  start(): void {
    this.#started = true
    for (const message of this.#waiting.splice(0)) this.#emit('message', message)
    if (this.#closed) this.#emitClose()
  }

  close(): void {
    const other = this.#other
    this.#other = undefined
    if (other !== undefined) other.#other = undefined
    for (const end of [this, other]) {
      if (end === undefined || end.#closed) continue
      end.#closed = true
      queueMicrotask(() => {
        if (end.#started) end.#emitClose()
      })
    }
  }

  #receive(message: unknown): void {
    if (this.#started) this.#emit('message', message)
    else this.#waiting.push(message)
  }

  #emitClose(): void {
    const listeners = [...this.#listeners.close]
    this.#listeners.close.clear()
    for (const listener of listeners) listener({ data: undefined })
  }

  #emit(type: 'message' | 'close', data: unknown): void {
    for (const listener of [...this.#listeners[type]]) listener({ data })
  }
}

export const memoryPorts = MemoryPort.pair
