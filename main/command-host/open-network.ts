/** Takes the listening socket that a sandboxed command opened in its own network, and serves the allowed names on it. */
import type { ChildProcess } from 'node:child_process'
import { Server } from 'node:net'
import { domainFor, type NetworkRefusal } from '#contracts/tools/allowed-domains.ts'
import type { ProxyNetwork } from './dial-public.ts'

/** Places that are told of; a command that tries thousands is not worth a line for each. */
const MOST_REFUSALS = 20

/** @returns ends the network of the command. */
export function openNetwork(
  child: ChildProcess,
  domains: readonly string[],
  network: ProxyNetwork | undefined,
  refused: (refusal: NetworkRefusal) => void,
): () => void {
  const told = new Set<string>()
  let close: (() => void) | undefined
  let over = false
  /** The command then does not begin: its network could not be opened. */
  const hangUp = (): void => {
    if (child.connected) child.disconnect()
  }
  // Only our own words have the channel: it is closed before the command begins.
  child.once('message', (_message, listener) => {
    if (!(listener instanceof Server)) return hangUp()
    Promise.all([import('./network-proxy.ts'), import('./dial-public.ts')])
      .then(([proxy, { systemNetwork }]) => {
        if (over) return listener.close()
        const served = proxy.serveAllowedDomains(listener, domains, network ?? systemNetwork, (refusal) => {
          const place = `${refusal.reason} ${domainFor(refusal)}`
          if (told.size >= MOST_REFUSALS || told.has(place)) return
          told.add(place)
          refused(refusal)
        })
        close = served.close
        // It may be gone already.
        child.send('served', () => {})
      })
      .catch((error: unknown) => {
        process.stderr.write(`metona command host: the network of a command could not be opened: ${(error as Error).message}\n`)
        close?.()
        listener.close()
        hangUp()
      })
  })
  return () => {
    over = true
    close?.()
  }
}
