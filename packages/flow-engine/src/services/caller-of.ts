import ipaddr from 'ipaddr.js'

/** Bytes of the network that one IPv6 customer gets at least, a /64 (RFC 6177). */
const NETWORK_BYTES = 8

/**
 * Who limits count an address for: an IPv4 address for itself, also one that is mapped into IPv6; of
 * IPv6 the /64, since whoever has one address has all of it. Another text stays as it is.
 */
export function callerOf(address: string): string {
  const text = address.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/, '')
  if (!ipaddr.IPv6.isValid(text)) return address
  const parsed = ipaddr.IPv6.parse(text)
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  const network = parsed.toByteArray().map((byte, at) => (at < NETWORK_BYTES ? byte : 0))
  return `${ipaddr.fromByteArray(network).toString()}/64`
}
