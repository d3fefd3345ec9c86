/** `app://metona/`: the built renderer and nothing else. */
import { readFile } from 'node:fs/promises'
import type * as Electron from 'electron'
import { APP_SCHEME, fileOf, headersOf } from './app-address.ts'

/** Must be the protocol of the windows' own session: the default session's handler does not reach them. */
export function serveApp(protocol: Pick<Electron.Protocol, 'handle'>, folder: string): void {
  protocol.handle(APP_SCHEME, async (request) => {
    const file = request.method === 'GET' ? fileOf(request.url, folder) : undefined
    if (file === undefined) return new Response('Not found', { status: 404 })
    try {
      const body = await readFile(file)
      return new Response(new Uint8Array(body), { headers: headersOf(file) })
    } catch (error) {
      return new Response('Not found', { status: (error as NodeJS.ErrnoException).code === 'ENOENT' ? 404 : 500 })
    }
  })
}
