/** Which proxy a request goes through: the environment's, the system's, or none. */

export interface ProxySetting {
  readonly name: string
  /** As Node's agent takes it. */
  readonly environment?: Record<string, string>
}

export const DIRECT: ProxySetting = { name: 'direct' }
const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']

export function environmentProxy(environment: Readonly<Record<string, string | undefined>> | undefined): ProxySetting | undefined {
  const found: Record<string, string> = {}
  for (const name of proxyVariables) {
    const value = environment?.[name] ?? environment?.[name.toLowerCase()]
    if (value !== undefined && value !== '') found[name] = value
  }
  return found['HTTP_PROXY'] === undefined && found['HTTPS_PROXY'] === undefined ? undefined : { name: 'environment', environment: found }
}

/** The first entry that can be used; one that cannot (SOCKS) is passed over. */
export function readPac(answer: string | undefined): ProxySetting {
  for (const entry of (answer ?? '').split(';')) {
    const [kind, address] = entry.trim().split(/\s+/)
    if (kind === 'DIRECT') return DIRECT
    if (address === undefined || (kind !== 'PROXY' && kind !== 'HTTP' && kind !== 'HTTPS')) continue
    const url = `${kind === 'HTTPS' ? 'https' : 'http'}://${address}`
    return { name: url, environment: { HTTP_PROXY: url, HTTPS_PROXY: url } }
  }
  return DIRECT
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname) || hostname.endsWith('.localhost')
}

/** @param shell asked only when the environment names no proxy, once per origin. @returns the proxy for an address. */
export function createProxyFor(
  environment: Readonly<Record<string, string | undefined>>,
  shell: (url: string) => Promise<string | undefined>,
): (url: URL) => Promise<ProxySetting> {
  const fromEnvironment = environmentProxy(environment)
  const origins = new Map<string, Promise<ProxySetting>>()
  return async (url) => {
    // A server on this machine is never behind a proxy.
    if (isLoopback(url.hostname)) return DIRECT
    if (fromEnvironment !== undefined) return fromEnvironment
    let found = origins.get(url.origin)
    if (found === undefined) {
      found = shell(url.origin).then(readPac)
      origins.set(url.origin, found)
    }
    return found
  }
}
