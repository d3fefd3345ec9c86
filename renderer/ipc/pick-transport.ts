import { messagePortTransport, type DesktopWindow } from './message-port-transport.ts'
import { takePageKey } from './page-key.ts'
import type { TransportFactory } from './transport.ts'
import { webSocketTransport } from './web-socket-transport.ts'

/** The preload's bridge where there is one (desktop shell), else a WebSocket to where the page came from. */
export function pickTransport(): TransportFactory {
  const desktop = window as unknown as DesktopWindow
  return desktop.metona === undefined
    ? webSocketTransport(location, takePageKey({ location, history, storage: localStorage }))
    : messagePortTransport(desktop, desktop.metona)
}
