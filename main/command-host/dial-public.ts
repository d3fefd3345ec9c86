/** Opens a connection to a name of the public internet; the address that is dialled is looked at, not the name. */
import { Resolver } from 'node:dns/promises'
import { BlockList, connect, isIPv4, isIPv6, type Socket } from 'node:net'
import { publicAddressRule } from '#contracts/tools/public-address.ts'

export interface ProxyNetwork {
  /** All addresses of a name; rejects, or gives none, when it has none. */
  lookup(host: string): Promise<string[]>
  /** Where to open the socket for an address that passed; only tests differ. */
  dial(address: string, port: number): { host: string; port: number }
}

export class PrivateAddress extends Error {}

/** For one address. */
const CONNECT_MS = 10_000
const MOST_TRIED = 3
const isPublicAddress = publicAddressRule({ BlockList, isIPv4, isIPv6 })

/**
 * Asks the name servers themselves: the system's own way blocks threads that this process needs to watch and end
 * commands, and whoever owns an allowed name could make it wait.
 */
export const systemNetwork: ProxyNetwork = {
  lookup: async (host) => {
    const resolver = new Resolver({ timeout: 3_000, tries: 2 })
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  },
  dial: (address, port) => ({ host: address, port }),
}

/** @throws PrivateAddress when any address of the name is not public: one among several is what rebinding looks like. */
export async function dialPublic(host: string, port: number, network: ProxyNetwork): Promise<Socket> {
  const addresses = await network.lookup(host)
  if (!addresses.every((address) => isPublicAddress(address))) throw new PrivateAddress(host)
  let failure: unknown = new Error(`${host} has no address`)
  for (const address of addresses.toSorted((one, other) => Number(isIPv6(one)) - Number(isIPv6(other))).slice(0, MOST_TRIED))
    try {
      return await connectTo(host, network.dial(address, port))
    } catch (error) {
      if (error instanceof PrivateAddress) throw error
      failure = error
    }
  throw failure
}

async function connectTo(host: string, place: { host: string; port: number }): Promise<Socket> {
  const socket = connect({ ...place, timeout: CONNECT_MS })
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.once('timeout', () => reject(new Error(`${host} did not answer`)))
    socket.once('connect', () => (socket.remoteAddress === place.host ? resolve() : reject(new PrivateAddress(host))))
  }).catch((error: unknown) => {
    socket.destroy()
    throw error
  })
  socket.removeAllListeners('error').removeAllListeners('timeout').setTimeout(0)
  return socket
}
