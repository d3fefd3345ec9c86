/** A port as Comlink wants it, heard by `listen`. */
import type * as Comlink from 'comlink'
import { listen } from './listen.ts'
import type { Port } from './port.ts'

type Listener = (event: { readonly data: unknown }) => void

export function comlinkEndpoint(port: Port): Comlink.Endpoint {
  const stops = new Map<unknown, () => void>()
  const endpoint = {
    postMessage: (message: unknown, transfer?: readonly unknown[]) => port.postMessage(message, transfer),
    addEventListener: (_type: 'message', listener: Listener) => {
      stops.set(
        listener,
        listen(port, (data) => listener({ data })),
      )
    },
    removeEventListener: (_type: 'message', listener: Listener) => {
      stops.get(listener)?.()
      stops.delete(listener)
    },
    start: () => port.start(),
  }
  return endpoint as unknown as Comlink.Endpoint
}
