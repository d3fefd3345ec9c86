/**
 * The names sandboxed commands may reach, as the person writes them: `registry.npmjs.org`, `*.example.com` (any name
 * below it, not itself), each with `:port` for another port than 80 and 443. Pure and without packages: the command
 * host, a small process, reads them too.
 */

/** Lower case, at least two labels, the last one no number: neither an address nor a name of the own network. */
const NAME = '(?=.{3,253}(?::|$))(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+(?!\\d+(?::|$))[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
/** A star stands for one or more whole labels and needs two after it: `*.com` is no decision about anybody. */
export const ALLOWED_DOMAIN = new RegExp(`^(?:\\*\\.(?=[^.]+\\.))?${NAME}(?::[1-9]\\d{0,4})?$`)

const HOST = new RegExp(`^${NAME}$`)
const USUAL_PORTS = [80, 443]

/** Why a connection was not made. */
export type RefusalReason =
  /** Not among the allowed names. */
  | 'domain'
  /** Allowed by name, on other ports. */
  | 'port'
  /** A number or something else that is no public name. */
  | 'name'
  /** The name leads to this machine or a private network. */
  | 'address'
  /** Inside the connection another name was asked for. */
  | 'mismatch'
  /** No refusal that was seen: a command without network wrote that it could not find the host, and may write anything. */
  | 'unresolved'

export const REFUSAL_REASONS = ['domain', 'port', 'name', 'address', 'mismatch', 'unresolved'] as const satisfies readonly RefusalReason[]

/** One refused destination. */
export interface NetworkRefusal {
  readonly host: string
  readonly port: number
  readonly reason: RefusalReason
}

/** One spelling: lower case, without the dot at the end. @returns undefined for what is no public host name. */
export function hostName(text: string): string | undefined {
  const host = text.toLowerCase().replace(/\.$/, '')
  return HOST.test(host) ? host : undefined
}

/** @param host as `hostName` gives it. @returns undefined when it is allowed. */
export function refusalOf(domains: readonly string[], host: string, port: number): 'domain' | 'port' | undefined {
  const fitting = domains.filter((entry) => {
    const [pattern = ''] = entry.split(':')
    return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) && host.length > pattern.length - 1 : host === pattern
  })
  if (fitting.length === 0) return 'domain'
  const open = fitting.some((entry) => {
    const named = entry.split(':')[1]
    return named === undefined ? USUAL_PORTS.includes(port) : Number(named) === port
  })
  return open ? undefined : 'port'
}

/** What the person would have to allow for it: the name, with its port where that is an unusual one. */
export function domainFor({ host, port }: { readonly host: string; readonly port: number }): string {
  return USUAL_PORTS.includes(port) ? host : `${host}:${port}`
}
