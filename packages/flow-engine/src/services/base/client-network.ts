import ipaddr from 'ipaddr.js'

/** Bytes of the network that one IPv6 customer gets at least, a /64 (RFC 6177). */
const NETWORK_BYTES = 8

/**
 * The network that limits count an address for: an IPv4 address by itself, also when mapped into
 * IPv6; of an IPv6 address its /64, because a customer holds all of it. Any other string is returned
 * unchanged.
 */
export function clientNetworkOf(address: string): string {
  const text = address.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/, '')
  if (!ipaddr.IPv6.isValid(text)) return address
  const parsed = ipaddr.IPv6.parse(text)
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  const network = parsed.toByteArray().map((byte, at) => (at < NETWORK_BYTES ? byte : 0))
  return `${ipaddr.fromByteArray(network).toString()}/64`
}
