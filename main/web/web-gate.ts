/**
 * Who may talk to the web shell. Loopback is no boundary: any page in any browser of this machine can send
 * requests here, so each one must name our own address, come from our own page and carry the cookie.
 */

export interface GateRequest {
  readonly kind: 'page' | 'call' | 'socket'
  readonly method: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The port we listen on. */
  readonly port: number
  /** Whether the request's cookie is a valid one; checked in constant time by the caller. */
  readonly hasToken: boolean
}

/** 200 means: go on. */
export type GateStatus = 200 | 401 | 403 | 405 | 415 | 421

/**
 * Checks in order: Host (421), method (405), Origin and Sec-Fetch-Site (403), cookie (401), content type (415).
 * A page may come without Origin (browsers leave it out on GET); a call or a socket may not, unless the
 * browser vouches with `Sec-Fetch-Site: same-origin`; a socket always needs Origin.
 */
export function checkGate(request: GateRequest): GateStatus {
  const own = [`127.0.0.1:${request.port}`, `localhost:${request.port}`]
  const host = single(request.headers['host'])
  if (host === undefined || !own.includes(host)) return 421
  if (
    request.kind === 'call'
      ? request.method !== 'POST'
      : request.method !== 'GET' && !(request.kind === 'page' && request.method === 'HEAD')
  ) {
    return request.method === 'OPTIONS' ? 403 : 405
  }
  const origin = single(request.headers['origin'])
  if (request.headers['origin'] !== undefined && origin !== `http://${host}`) return 403
  const site = single(request.headers['sec-fetch-site'])
  if (request.headers['sec-fetch-site'] !== undefined && site !== 'same-origin' && !(site === 'none' && request.kind === 'page')) return 403
  if (request.kind === 'socket' && origin === undefined) return 403
  if (request.kind === 'call' && origin === undefined && site === undefined) return 403
  if (!request.hasToken) return 401
  if (request.kind === 'call' && !isJson(single(request.headers['content-type']))) return 415
  return 200
}

/** A header sent twice has no single value and fits nothing. */
function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function isJson(contentType: string | undefined): boolean {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
}
