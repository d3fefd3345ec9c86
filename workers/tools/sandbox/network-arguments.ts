/**
 * The way out of a sandbox without network, where the person allowed names: before the command, our own words open a
 * listening socket on the sandbox's loopback, hand it to the command host over a channel that closes with them, and end.
 * What listens on it then is outside (`main/command-host/network-proxy.ts`); nothing of ours runs beside the command.
 */
import { access, constants } from 'node:fs/promises'

/** Where the sandbox shows the program; its `/dev` is its own. */
const NODE_INSIDE = '/dev/metona-node'
const PORT = 17319
const OPEN = `const server = require('node:net').createServer()
server.listen(${PORT}, '127.0.0.1', () => process.send('network', server))
process.once('message', () => process.exit(0))
process.once('disconnect', () => process.exit(1))`
const SCRIPT = `${NODE_INSIDE} -e "$1" || { echo "the network of the sandbox could not be opened" >&2; exit 126; }
shift; exec 4>&-; unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE; exec "$@"`
const PROXY = `http://127.0.0.1:${PORT}`
const LOCAL = 'localhost,127.0.0.1,::1'

/** What programs look for; those that know no proxy have no network. */
export const NETWORK_ENVIRONMENT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['http_proxy', 'https_proxy', 'all_proxy'].flatMap((name) => [name, name.toUpperCase()].map((key) => [key, PROXY])),
  ),
  no_proxy: LOCAL,
  NO_PROXY: LOCAL,
  npm_config_proxy: PROXY,
  npm_config_https_proxy: PROXY,
  npm_config_noproxy: LOCAL,
  YARN_HTTP_PROXY: PROXY,
  YARN_HTTPS_PROXY: PROXY,
  CARGO_HTTP_PROXY: PROXY,
  // Node's own fetch and http use a proxy only when told to.
  NODE_USE_ENV_PROXY: '1',
}

export function networkArguments(argv: readonly string[]): string[] {
  return ['/bin/sh', '-c', SCRIPT, 'sh', OPEN, ...argv]
}

/** @returns the Node to be shown inside; undefined where there is none, as in a window of Electron on a machine without Node. */
export async function networkProgram(): Promise<{ source: string; path: string } | undefined> {
  const places = process.versions['electron'] === undefined ? [process.execPath] : ['/usr/bin/node', '/usr/local/bin/node']
  for (const source of places) {
    const usable = await access(source, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (usable) return { source, path: NODE_INSIDE }
  }
  return undefined
}
