/** A WebSocket as a Port: every message is one text frame, already encoded by the session worker. */
import type { WebSocket } from 'ws'
import type { Port, PortMessage } from '#contracts/wire/port.ts'

/** Bytes waiting in the socket above which a page that stopped reading is cut off; it can reconnect. */
const BUFFERED_LIMIT = 64 * 1024 * 1024

export function webSocketPort(socket: WebSocket): Port {
  const listeners = { message: new Set<(event: PortMessage) => void>(), close: new Set<(event: PortMessage) => void>() }
  const waiting: PortMessage[] = []
  let started = false
  const deliver = (event: PortMessage): void => {
    for (const listener of listeners.message) listener(event)
  }
  socket.on('message', (data, isBinary) => {
    // Binary frames are not part of the protocol.
    if (isBinary) return socket.close(1003)
    const event = { data: String(data) }
    if (started) deliver(event)
    else waiting.push(event)
  })
  socket.on('close', () => {
    for (const listener of listeners.close) listener({ data: undefined })
  })
  // A frame over the limit or a reset arrives here first and then as `close`, where it is dealt with.
  socket.on('error', () => socket.terminate())
  return {
    postMessage: (message) => {
      if (socket.readyState !== socket.OPEN) return
      if (socket.bufferedAmount > BUFFERED_LIMIT) return socket.terminate()
      // The host's own messages (a reset) are objects; the session worker's are text.
      socket.send(typeof message === 'string' ? message : JSON.stringify(message))
    },
    addEventListener: (type, listener) => void listeners[type].add(listener),
    removeEventListener: (type, listener) => void listeners[type].delete(listener),
    start: () => {
      started = true
      for (const event of waiting.splice(0)) deliver(event)
    },
    close: () => socket.close(1000),
  }
}
