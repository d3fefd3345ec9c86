/** A wire request as HTTP has it: whole address, headers, body text. */
import type { WireRequest } from './wire-parser.ts'

export interface HttpRequest {
  readonly url: URL
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/**
 * @param base the API root and the query that every request carries.
 * @param authorization headers with the key; the wire's own headers win over all others.
 */
export function writeRequest(
  wire: WireRequest,
  stream: boolean,
  base: { readonly root: string; readonly search: string },
  authorization: Readonly<Record<string, string>>,
): HttpRequest {
  const streamType = wire.framing === 'sse' ? 'text/event-stream' : 'application/x-ndjson'
  return {
    url: new URL(`${base.root}${wire.path}${wire.path.includes('?') ? base.search.replace('?', '&') : base.search}`),
    method: wire.method ?? 'POST',
    headers: {
      accept: stream ? streamType : 'application/json',
      // A compressed stream arrives in the compressor's blocks, not as it is written.
      'accept-encoding': 'identity',
      'user-agent': 'MetonaDesktop',
      ...(wire.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...authorization,
      ...wire.headers,
    },
    body: wire.body === undefined ? undefined : JSON.stringify(wire.body),
  }
}
