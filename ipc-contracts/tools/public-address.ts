/** Which addresses count as the public internet: nothing of this machine or its networks. Shared by all that dials for a stranger. */

const REFUSED_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Metadata service of a cloud whose address is otherwise public-looking.
  '100.100.100.200/32',
  '168.63.129.16/32',
]
/** Only global unicast is left; inside it, tunnels and translations that lead to IPv4, documentation, and local use. */
const REFUSED_V6 = ['::/3', '4000::/2', '8000::/1', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

type Family = 'ipv4' | 'ipv6'

/** The part of `node:net` that reads addresses: handed in, because contracts run where there is none. */
interface AddressReader {
  readonly BlockList: new () => {
    addSubnet(network: string, bits: number, family: Family): void
    check(address: string, family: Family): boolean
  }
  isIPv4(text: string): boolean
  isIPv6(text: string): boolean
}

/** @returns whether a numeric address, as a resolver or a socket gives it, is public. Anything else is not. */
export function publicAddressRule(net: AddressReader): (address: string) => boolean {
  // Two lists: a rule for IPv6 would also be held against every IPv4 address in its mapped form.
  const listOf = (ranges: readonly string[], family: Family): InstanceType<AddressReader['BlockList']> => {
    const list = new net.BlockList()
    for (const range of ranges) {
      const [network, bits] = range.split('/') as [string, string]
      list.addSubnet(network, Number(bits), family)
    }
    return list
  }
  const refusedV4 = listOf(REFUSED_V4, 'ipv4')
  const refusedV6 = listOf(REFUSED_V6, 'ipv6')
  return (address) => {
    if (net.isIPv4(address)) return !refusedV4.check(address, 'ipv4')
    if (net.isIPv6(address)) return !address.includes('%') && !refusedV6.check(address, 'ipv6')
    return false
  }
}
