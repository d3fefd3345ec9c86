/** Which addresses may be written: looked at before anything is resolved, and again for every redirect. */
import { isIP } from 'node:net'
import { ToolError } from '../domain/tool-error.ts'
import { isPublicAddress } from './allowed-address.ts'

const PORTS = new Set(['', '80', '443', '8000', '8008', '8080', '8443', '8888'])
const MAX_LENGTH = 4096

/** @throws ToolError BAD_URL, URL_REFUSED. */
export function checkUrl(text: string, base?: URL): URL {
  if (text.length > MAX_LENGTH) throw new ToolError('BAD_URL', `The URL is longer than ${MAX_LENGTH} characters.`)
  const url = URL.parse(text, base?.href)
  if (url === null)
    throw new ToolError('BAD_URL', `${JSON.stringify(text.slice(0, 200))} is no URL. Give a whole one, such as https://example.com/page.`)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new ToolError('URL_REFUSED', `Only http and https addresses can be fetched, not ${url.protocol} addresses.`)
  if (url.username !== '' || url.password !== '')
    throw new ToolError('URL_REFUSED', 'An address with a user name or password in it is not fetched. Leave them out.')
  if (!PORTS.has(url.port)) throw new ToolError('URL_REFUSED', `Port ${url.port} is not fetched: it is not one web pages are served on.`)
  // The URL parser has turned every spelling of a number (decimal, octal, full-width …) into the plain address.
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw refuseAddress(url.hostname, host)
  if (
    host === '' ||
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host.endsWith('.local') ||
    host.endsWith('.internal') ||
    (!host.includes('.') && isIP(host) === 0)
  )
    throw refuseAddress(url.hostname, host)
  return url
}

export function refuseAddress(name: string, address: string): ToolError {
  return new ToolError(
    'URL_REFUSED',
    `${name} leads to ${address}, which is this machine or a private network; only public addresses are fetched. For a local server use run_command with curl, which asks first.`,
  )
}
