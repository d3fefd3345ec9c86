/** Which addresses a page may be fetched from. */
import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { publicAddressRule } from '#contracts/tools/public-address.ts'

/** `address` is a numeric address as the system's resolver or a socket gives it. Anything else is refused. */
export const isPublicAddress = publicAddressRule({ BlockList, isIPv4, isIPv6 })
