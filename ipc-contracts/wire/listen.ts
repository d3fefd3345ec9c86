/**
 * Hearing what comes in on a port, at the price of a function call. Node makes a MessageEvent for every
 * listener of the DOM kind, and to have that class it loads its whole HTTP client: 25 ms of CPU in each
 * thread that hears its first message. Its own kind of listener gets the data as it is.
 */
import type { Port } from './port.ts'

interface NodePort {
  on(type: 'message', listener: (data: unknown) => void): void
  off(type: 'message', listener: (data: unknown) => void): void
}

/** Calls `listener` with each message's data. `start` is still needed. @returns stops listening. */
export function listen(port: Port, listener: (data: unknown) => void): () => void {
  if (isNodePort(port)) {
    port.on('message', listener)
    return () => port.off('message', listener)
  }
  const hear = ({ data }: { readonly data: unknown }): void => listener(data)
  port.addEventListener('message', hear)
  return () => port.removeEventListener('message', hear)
}

function isNodePort(port: Port): port is Port & NodePort {
  return typeof (port as Partial<NodePort>).on === 'function'
}
