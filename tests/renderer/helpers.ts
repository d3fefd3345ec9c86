/** A scripted host without sockets: what a client sends arrives at once, what the host sends comes in a later turn of the event loop, in order. */
import type { HostMessage } from '#contracts/session/client-protocol.ts'
import type { TransportEvents, TransportFactory } from '#renderer/ipc/transport.ts'
import { createPinia, disposePinia, setActivePinia, type Pinia } from 'pinia'
import type { ScriptedConnection, ScriptedHost } from '../helpers/scripted-host.ts'
import { vi } from 'vitest'

export interface MemoryLink {
  readonly factory: TransportFactory
  /** Cuts the connection, as a host that died does. */
  cut(): void
  /** Refuses further connections until called with true again. */
  accept(accepted: boolean): void
  readonly opened: () => number
}

export function memoryLink(host: ScriptedHost, probe?: TransportFactory['probe']): MemoryLink {
  let accepted = true
  let opened = 0
  let current: { events: TransportEvents; connection: ScriptedConnection | undefined; closed: boolean } | undefined
  const close = (target: NonNullable<typeof current>): void => {
    if (target.closed) return
    target.closed = true
    target.connection?.close()
    target.events.onClose()
  }
  return {
    opened: () => opened,
    accept: (value) => {
      accepted = value
    },
    cut: () => {
      if (current !== undefined) close(current)
    },
    factory: {
      ...(probe === undefined ? {} : { probe }),
      open(events) {
        const mine = { events, connection: undefined as ScriptedConnection | undefined, closed: false }
        current = mine
        setImmediate(() => {
          if (mine.closed) return
          if (!accepted) return close(mine)
          opened += 1
          mine.connection = host.connect((message: HostMessage) => {
            const wire = structuredClone(message)
            setImmediate(() => mine.closed || events.onMessage(wire))
          })
          events.onOpen()
        })
        return { send: (message) => mine.connection?.receive(structuredClone(message)), close: () => close(mine) }
      },
    },
  }
}

let shown: Pinia | undefined

/** Stores of a page of their own. Those before end: a call that one of them makes later would bring all of them back. */
export function freshStores(): void {
  if (shown !== undefined) disposePinia(shown)
  shown = createPinia()
  setActivePinia(shown)
}

/** Waits on a condition; the deadline only catches hangs. */
export function waitUntil<T>(check: () => T): Promise<T> {
  return vi.waitFor(check, { timeout: 20_000, interval: 10 }) as Promise<T>
}
