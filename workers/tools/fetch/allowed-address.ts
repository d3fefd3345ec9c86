/** Which addresses a page may be fetched from: the public internet, nothing of this machine or its networks. */
import { BlockList, isIPv4, isIPv6 } from 'node:net'

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

// Two lists: a rule for IPv6 would also be held against every IPv4 address in its mapped form.
const refusedV4 = listOf(REFUSED_V4, 'ipv4')
const refusedV6 = listOf(REFUSED_V6, 'ipv6')

/** `address` is a numeric address as the system's resolver or a socket gives it. Anything else is refused. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !refusedV4.check(address, 'ipv4')
  if (isIPv6(address)) return !address.includes('%') && !refusedV6.check(address, 'ipv6')
  return false
}

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network, bits] = range.split('/') as [string, string]
    list.addSubnet(network, Number(bits), family)
  }
  return list
}
