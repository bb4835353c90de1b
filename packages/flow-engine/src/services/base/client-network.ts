import ipaddr from 'ipaddr.js'

/** Bytes of the smallest network assigned to an IPv6 customer, a /64 (RFC 6177). */
const NETWORK_BYTES = 8

/**
 * The network an address is rate-limited as: IPv4 addresses (also IPv4-mapped) by themselves, IPv6 addresses
 * by their /64, since a customer controls all of it. Other strings are returned unchanged.
 */
export function clientNetworkOf(address: string): string {
  const text = address.replace(/^\[(.*)\]$/, '$1').replace(/%.*/s, '')
  if (!ipaddr.IPv6.isValid(text)) return address
  const parsed = ipaddr.IPv6.parse(text)
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  const network = parsed.toByteArray().map((byte, at) => (at < NETWORK_BYTES ? byte : 0))
  return `${ipaddr.fromByteArray(network).toString()}/64`
}
