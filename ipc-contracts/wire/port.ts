/**
 * The one shape of a channel end. Node's MessagePort, a browser's MessagePort, Electron's
 * MessagePortMain behind its adapter and an in-memory pair all fit it, so nothing above this
 * file knows which process or thread is on the other side.
 */
export interface PortMessage {
  readonly data: unknown
}

export interface Port {
  /** Structured clone. `transfer` holds ports (or buffers between threads of one process). */
  postMessage(message: unknown, transfer?: readonly unknown[]): void
  addEventListener(type: 'message' | 'close', listener: (event: PortMessage) => void): void
  removeEventListener(type: 'message' | 'close', listener: (event: PortMessage) => void): void
  /** Messages queue until this is called. */
  start(): void
  close(): void
}
