/** Which proxy a request goes through: the environment's, the system's, or none. */

export interface ProxySetting {
  readonly name: string
  /** As Node's agent takes it. */
  readonly environment?: Record<string, string>
}

const DIRECT: ProxySetting = { name: 'direct' }
const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']

function environmentProxy(environment: Readonly<Record<string, string | undefined>> | undefined): ProxySetting | undefined {
  const found: Record<string, string> = {}
  for (const name of proxyVariables) {
    const value = environment?.[name] ?? environment?.[name.toLowerCase()]
    if (value !== undefined && value !== '') found[name] = value
  }
  return found['HTTP_PROXY'] === undefined && found['HTTPS_PROXY'] === undefined ? undefined : { name: 'environment', environment: found }
}

/** The first entry that can be used; one that cannot (SOCKS) is passed over. */
function readPac(answer: string | undefined): ProxySetting {
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

export interface Proxies {
  /** @returns the proxy for an address. Rejects only as the shell does. */
  for(url: URL): Promise<ProxySetting>
  /** After the network may have changed: another one may have another proxy. */
  forget(): void
}

/**
 * @param shell asked only when the environment names no proxy, once per origin. What it does not say (undefined, or a
 * rejection) is no answer to keep: the next request asks again.
 */
export function createProxies(
  environment: Readonly<Record<string, string | undefined>> | undefined,
  shell: ((url: string) => Promise<string | undefined>) | undefined,
): Proxies {
  const fromEnvironment = environmentProxy(environment)
  const origins = new Map<string, Promise<string | undefined>>()
  const ask = (origin: string, shellSays: (url: string) => Promise<string | undefined>): Promise<string | undefined> => {
    const known = origins.get(origin)
    if (known !== undefined) return known
    const asked = shellSays(origin)
    origins.set(origin, asked)
    const drop = (): void => {
      if (origins.get(origin) === asked) origins.delete(origin)
    }
    asked.then((answer) => (answer === undefined ? drop() : undefined), drop)
    return asked
  }
  return {
    for: async (url) => {
      // A server on this machine is never behind a proxy.
      if (isLoopback(url.hostname)) return DIRECT
      if (fromEnvironment !== undefined) return fromEnvironment
      return shell === undefined ? DIRECT : readPac(await ask(url.origin, shell))
    },
    forget: () => origins.clear(),
  }
}
