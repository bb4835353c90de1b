import { SPECIAL_V4, SPECIAL_V6 } from '@x/wire'
import ipaddr from 'ipaddr.js'

/** Decides which hosts and addresses may be fetched. */
export interface AddressRules {
  /** Tests whether a host is allowed by name, whatever it resolves to. */
  allowsHost(host: string): boolean
  allowsAddress(address: string): boolean
}

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Range = [Address, number]

/**
 * Creates rules that block private ranges except those in `allow`: host names, addresses, and ranges in CIDR
 * notation.
 * @throws TypeError that names an invalid entry
 */
export function createAddressRules(allow: readonly string[] = []): AddressRules {
  const opened: Range[] = []
  const hosts = new Set<string>()
  for (const entry of allow) {
    const [base = ''] = entry.split('/')
    if (isAddress(base)) opened.push(readRange(entry))
    else hosts.add(entry.toLowerCase())
  }
  return {
    allowsHost: (host) => hosts.has(bare(host).toLowerCase()),
    allowsAddress(given) {
      if (!isAddress(given)) return false
      const address = reachedBy(ipaddr.parse(bare(given)))
      return isInRanges(address, opened) || !isInRanges(address, closed())
    },
  }
}

/** Tests whether a host is already an address, with or without the brackets of a URL. */
export function isAddress(host: string): boolean {
  const text = bare(host)
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)
}

let ranges: readonly Range[] | undefined

function closed(): readonly Range[] {
  return (ranges ??= [...SPECIAL_V4, ...SPECIAL_V6].map(readRange))
}

function isInRanges(address: Address, among: readonly Range[]): boolean {
  return among.some(([base, bits]) => {
    if (address instanceof ipaddr.IPv4)
      return base instanceof ipaddr.IPv4 && address.match(base, bits)
    return base instanceof ipaddr.IPv6 && address.match(base, bits)
  })
}

/** Removes URL brackets, the zone id and a trailing dot. */
function bare(host: string): string {
  return host
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/%.*/s, '')
    .replace(/\.$/, '')
}

/** Networks whose last 32 bits are an IPv4 address: mapped, translated and compatible addresses. */
const EMBEDDING = ['::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96', '::/96']
/** Contains `::` and `::1`, which embed no IPv4 address; the whole range is blocked. */
const UNSPECIFIED = '::/112'

/** Returns the IPv4 address embedded in an IPv6 address; other addresses are returned unchanged. */
function reachedBy(address: Address): Address {
  if (address instanceof ipaddr.IPv4) return address
  const isIn = (range: string): boolean => address.match(ipaddr.IPv6.parseCIDR(range))
  if (isIn(UNSPECIFIED) || !EMBEDDING.some(isIn)) return address
  // Includes `::ffff:0:0`: the operating system treats it as 0.0.0.0, which is the local machine.
  return new ipaddr.IPv4(address.toByteArray().slice(12))
}

function readRange(range: string): Range {
  const [base = '', prefix] = range.split('/')
  try {
    const address = ipaddr.parse(bare(base))
    const widest = address.kind() === 'ipv4' ? 32 : 128
    return ipaddr.parseCIDR(`${bare(base)}/${prefix ?? widest}`)
  } catch (error) {
    throw new TypeError(`Not an address or range: ${range}`, { cause: error })
  }
}
