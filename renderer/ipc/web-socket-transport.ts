/** The browser shell: JSON text frames over a WebSocket on the page's own origin. */
import type { Transport, TransportEvents, TransportFactory } from './transport.ts'

/** `wss:` on https, else `ws:`; the cookie that opened the page goes along by itself, its key as a protocol name. */
export function webSocketTransport(page: { readonly href: string } = location, key?: string): TransportFactory {
  const url = new URL('/port', page.href)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  return {
    open: (events) => openWebSocket(url.href, key === undefined ? [] : ['metona', key], events),
    async probe() {
      try {
        const answer = await fetch(new URL('/', page.href), {
          method: 'HEAD',
          cache: 'no-store',
          redirect: 'manual',
          headers: key === undefined ? {} : { 'x-metona-key': key },
        })
        return answer.status === 401 || answer.status === 403 ? 'refused' : 'reachable'
      } catch {
        // A failed fetch is the answer: nothing listens there.
        return 'unreachable'
      }
    },
  }
}

function openWebSocket(url: string, protocols: string[], events: TransportEvents): Transport {
  const socket = new WebSocket(url, protocols)
  let closed = false
  const close = (): void => {
    if (closed) return
    closed = true
    socket.close()
    events.onClose()
  }
  socket.addEventListener('open', () => {
    if (!closed) events.onOpen()
  })
  socket.addEventListener('message', (event: MessageEvent<unknown>) => {
    if (closed) return
    const decoded = decode(event.data)
    if (decoded === undefined) close()
    else events.onMessage(decoded)
  })
  socket.addEventListener('close', close)
  socket.addEventListener('error', close)
  return {
    send(message) {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
    },
    close,
  }
}

/** `undefined` for anything but JSON text: such a peer is not our host. */
function decode(data: unknown): unknown {
  if (typeof data !== 'string') return undefined
  try {
    return JSON.parse(data) as unknown
  } catch {
    return undefined
  }
}
