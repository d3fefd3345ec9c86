/**
 * The desktop shell: its preload offers `metona.connect()` and answers with a window message `'port'`
 * that carries one MessagePort. Only messages of this window itself are accepted.
 */
import type { Transport, TransportEvents, TransportFactory } from './transport.ts'

/** What the preload puts on `window`. */
export interface DesktopBridge {
  connect(): void
}

export interface DesktopWindow {
  readonly metona?: DesktopBridge
  addEventListener(type: 'message', listener: (event: MessageEvent<unknown>) => void): void
  removeEventListener(type: 'message', listener: (event: MessageEvent<unknown>) => void): void
}

export function messagePortTransport(desktop: DesktopWindow, bridge: DesktopBridge): TransportFactory {
  return { open: (events) => openMessagePort(desktop, bridge, events) }
}

function openMessagePort(desktop: DesktopWindow, bridge: DesktopBridge, events: TransportEvents): Transport {
  let port: MessagePort | undefined
  let closed = false
  const close = (): void => {
    if (closed) return
    closed = true
    desktop.removeEventListener('message', receivePort)
    port?.close()
    events.onClose()
  }
  const receivePort = (event: MessageEvent<unknown>): void => {
    const [received] = event.ports
    if (closed || port !== undefined || event.source !== (desktop as unknown) || event.data !== 'port' || received === undefined) return
    port = received
    desktop.removeEventListener('message', receivePort)
    port.addEventListener('message', (message: MessageEvent<unknown>) => {
      if (!closed) events.onMessage(message.data)
    })
    // The other end went: the host died, or main replaced it.
    port.addEventListener('close', close)
    port.start()
    events.onOpen()
  }
  desktop.addEventListener('message', receivePort)
  bridge.connect()
  return {
    send: (message) => port?.postMessage(message),
    close,
  }
}
