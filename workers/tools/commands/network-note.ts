/** What a command's result says of connections it may not have: who refused, and that only the person can change it. */
import { domainFor, hostName, type NetworkRefusal, type RefusalReason } from '#contracts/tools/allowed-domains.ts'

const WHY: Readonly<Record<RefusalReason, string>> = {
  domain: 'not among the allowed domains',
  port: 'not on this port',
  name: 'no public host name',
  address: 'its name leads to this machine or a private network',
  mismatch: 'the connection asked for another host inside than it was opened to',
  unresolved: 'the command wrote that it could not find this host',
}
/** Where nothing is allowed there is no proxy that could tell; what programs say when a name has no address. */
const NO_ADDRESS = [
  /could not resolve host(?: address)?:? [‘'"]?([\w.-]+)/i,
  /unable to resolve host address [‘'"]?([\w.-]+)/i,
  /getaddrinfo (?:EAI_AGAIN|ENOTFOUND) ([\w.-]+)/,
  /failed to resolve '([\w.-]+)'/i,
  /dial tcp: lookup ([\w.-]+)/,
  /could not resolve hostname ([\w.-]+)/i,
]
const MOST = 5

/** Names in the output of a command without network, the first few. */
export function unreachedHosts(output: string): NetworkRefusal[] {
  const hosts = new Set<string>()
  for (const pattern of NO_ADDRESS)
    for (const found of output.matchAll(new RegExp(pattern, `${pattern.flags}g`))) {
      const host = hostName(found[1] ?? '')
      if (host !== undefined && hosts.size < MOST) hosts.add(host)
    }
  return [...hosts].map((host) => ({ host, port: 443, reason: 'unresolved' }))
}

/**
 * @param domainsShut domains are allowed, and nothing here can open them.
 * @returns undefined when there is nothing to say.
 */
export function networkNote(refused: readonly NetworkRefusal[], domainsShut: boolean): string | undefined {
  if (domainsShut)
    return '[The command had no network, although domains are allowed: to open them, the sandbox needs a Node in /usr/bin or /usr/local/bin, and there is none. Only the person can install it.]'
  if (refused.length === 0) return undefined
  const places = refused.map((refusal) => `${domainFor(refusal)} (${WHY[refusal.reason]})`)
  const what = refused.every(({ reason }) => reason === 'unresolved')
    ? 'No domain is allowed in the sandbox, which may be why the command did not reach'
    : 'The sandbox refused network connections to'
  return `[${what} ${places.join(', ')}. Only the person can allow a domain, in the settings or with "metona network allow DOMAIN"; do not try another way.]`
}
