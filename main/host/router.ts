/**
 * The relay between a client's port and the session worker. A message passes as it is: nothing here
 * parses, encodes or looks inside (a lint rule holds this file to it).
 */
import type { Port, PortMessage } from '#contracts/wire/port.ts'

export interface Relay {
  /** Joins the client to a (new) session worker; what it says from now on goes there. */
  switchTo(session: Port): void
  /** Says something of the host's own to the client. */
  tell(message: unknown): void
  close(): void
}

/** @param onClosed called once, when the client's side closed. */
export function relay(client: Port, onClosed: () => void): Relay {
  let session: Port | undefined
  let closed = false

  const up = (event: PortMessage): void => session?.postMessage(event.data)
  const down = (event: PortMessage): void => client.postMessage(event.data)
  const leave = (): void => {
    session?.removeEventListener('message', down)
    session?.close()
    session = undefined
  }
  const closeClient = (): void => {
    if (closed) return
    closed = true
    leave()
    onClosed()
  }
  client.addEventListener('message', up)
  client.addEventListener('close', closeClient)

  return {
    switchTo: (next) => {
      const first = session === undefined
      leave()
      if (closed) return next.close()
      session = next
      next.addEventListener('message', down)
      next.start()
      if (first) client.start()
    },
    tell: (message) => {
      if (!closed) client.postMessage(message)
    },
    close: () => {
      if (closed) return
      closed = true
      leave()
      client.close()
      onClosed()
    },
  }
}
