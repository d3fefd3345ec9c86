/** Which file an `app://metona/` address names, and the headers it is served with. Knows nothing of Electron. */
import path from 'node:path'

export const APP_SCHEME = 'app'
const HOST = 'metona'
export const appOrigin = `${APP_SCHEME}://${HOST}`

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json; charset=utf-8',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
}

/** True for our own pages. `URL.origin` is 'null' for this scheme in Node, so its parts are compared. */
export function isAppUrl(url: string): boolean {
  if (!URL.canParse(url)) return false
  const parsed = new URL(url)
  return parsed.protocol === `${APP_SCHEME}:` && parsed.host === HOST
}

/**
 * The file a URL names, or undefined when it is not inside `folder`. Decoded before it is checked; a decoded
 * separator, backslash or NUL makes a name invalid rather than a path.
 */
export function fileOf(url: string, folder: string): string | undefined {
  if (!isAppUrl(url)) return undefined
  let segments: string[]
  try {
    segments = new URL(url).pathname
      .split('/')
      .filter((segment) => segment !== '')
      .map(decodeURIComponent)
  } catch {
    return undefined
  }
  if (segments.some((segment) => segment === '.' || segment === '..' || /[/\\\0:]/.test(segment))) return undefined
  return path.join(folder, ...(segments.length === 0 ? ['index.html'] : segments))
}

/** The headers of a file of ours, with the policy of every page. */
export function headersOf(file: string): Record<string, string> {
  return {
    'Content-Type': CONTENT_TYPES[path.extname(file)] ?? 'application/octet-stream',
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Opener-Policy': 'same-origin',
  }
}
