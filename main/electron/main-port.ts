/** Electron's MessagePortMain as a Port. Messages queue until `start`. */
import type * as Electron from 'electron'
import type { Port, PortMessage } from '#contracts/wire/port.ts'

export function mainPort(port: Electron.MessagePortMain): Port {
  const wrapped = new Map<(event: PortMessage) => void, (event?: { data: unknown }) => void>()
  return {
    // Only ports can be transferred here, and a client never needs that.
    postMessage: (message) => port.postMessage(message),
    addEventListener: (type, listener) => {
      const forward = (event?: { data: unknown }): void => listener({ data: event?.data })
      wrapped.set(listener, forward)
      if (type === 'message') port.on('message', forward)
      else port.on('close', forward)
    },
    removeEventListener: (type, listener) => {
      const forward = wrapped.get(listener)
      if (forward === undefined) return
      wrapped.delete(listener)
      if (type === 'message') port.off('message', forward)
      else port.off('close', forward)
    },
    start: () => port.start(),
    close: () => port.close(),
  }
}
