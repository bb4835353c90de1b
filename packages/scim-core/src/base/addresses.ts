import { isInRange, parseIpAddress, parseIpRange } from '@x/wire'
import { ScimConfigError } from './errors.ts'

/** Returns whether an address is allowed. */
export type AddressFilter = (address: string | undefined) => boolean

/**
 * Parses IPv4 and IPv6 addresses and CIDR ranges. IPv4-mapped IPv6 addresses are compared as IPv4.
 * @throws ScimConfigError for an entry that is neither
 */
export function createAddressFilter(entries: readonly string[]): AddressFilter {
  const ranges = entries.map((entry) => {
    const range = parseIpRange(unmapped(entry.trim()))
    if (range !== null) return range
    const text = `${entry} is neither an address nor a CIDR range`
    throw new ScimConfigError('allowedAddresses', text)
  })
  return (text = '') => {
    const address = parseIpAddress(unmapped(text))
    return address !== null && ranges.some((range) => isInRange(range, address))
  }
}

function unmapped(text: string): string {
  return text.replace(/^::ffff:(?=\d+\.)/i, '')
}
