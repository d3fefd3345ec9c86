/** One connection to the pipeline host, whatever carries it. A transport is used once: after `onClose` a new one is opened. */
import type { ClientMessage } from '#contracts/session/client-protocol.ts'

export interface TransportEvents {
  /** Messages may be sent from now on. */
  onOpen(): void
  /** One host message, decoded but not yet checked. */
  onMessage(data: unknown): void
  /** Called once, also when the connection never opened. */
  onClose(): void
}

export interface Transport {
  /** Dropped silently when the transport is not open; the caller's deadline or `onClose` settles what it waits for. */
  send(message: ClientMessage): void
  /** Ends the connection; `onClose` follows. Harmless when repeated. */
  close(): void
}

export interface TransportFactory {
  open(events: TransportEvents): Transport
  /** After a failed attempt: would the host still accept this page? A page whose cookie is gone is refused for good. */
  probe?(): Promise<'reachable' | 'unreachable' | 'refused'>
}
