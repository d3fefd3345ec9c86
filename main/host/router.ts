/**
 * The relay between a client's port and the session worker. A message passes as it is: nothing here
 * parses, encodes or looks inside (a lint rule holds this file to it).
 */
import { listen } from '#contracts/wire/listen.ts'
import type { Port } from '#contracts/wire/port.ts'

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

  let deafen: () => void = () => undefined
  const leave = (): void => {
    deafen()
    session?.close()
    session = undefined
  }
  const closeClient = (): void => {
    if (closed) return
    closed = true
    leave()
    onClosed()
  }
  listen(client, (message) => session?.postMessage(message))
  client.addEventListener('close', closeClient)

  return {
    switchTo: (next) => {
      const first = session === undefined
      leave()
      if (closed) return next.close()
      session = next
      deafen = listen(next, (message) => client.postMessage(message))
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
