import {
  embeddedV4,
  isInRange,
  parseIpAddress,
  parseIpRange,
  type IpAddress,
  type IpRange,
} from './address-ranges.ts'
import { SPECIAL_V4, SPECIAL_V6 } from './special-ranges.ts'

/** Decides which hosts and addresses may be fetched. */
export interface AddressRules {
  /** Tests whether a host is allowed by name, whatever it resolves to. */
  allowsHost(host: string): boolean
  allowsAddress(address: string): boolean
}

/**
 * Creates rules that block private ranges except those in `allow`: host names, addresses, and ranges in CIDR
 * notation.
 * @throws TypeError that names an invalid entry
 */
export function createAddressRules(allow: readonly string[] = []): AddressRules {
  const opened: IpRange[] = []
  const hosts = new Set<string>()
  for (const entry of allow) {
    const [base = ''] = entry.split('/')
    if (isAddress(base)) opened.push(readRange(entry))
    else hosts.add(entry.toLowerCase())
  }
  return {
    allowsHost: (host) => hosts.has(bare(host).toLowerCase()),
    allowsAddress(given) {
      const parsed = parseIpAddress(bare(given))
      if (parsed === null) return false
      const address = reachedBy(parsed)
      return isInRanges(address, opened) || !isInRanges(address, closed())
    },
  }
}

/** Tests whether a host is already an address, with or without the brackets of a URL. */
export function isAddress(host: string): boolean {
  return parseIpAddress(bare(host)) !== null
}

let ranges: readonly IpRange[] | undefined

function closed(): readonly IpRange[] {
  return (ranges ??= [...SPECIAL_V4, ...SPECIAL_V6].map(readRange))
}

function isInRanges(address: IpAddress, among: readonly IpRange[]): boolean {
  return among.some((range) => isInRange(range, address))
}

/** Removes URL brackets and a trailing dot. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

/** Networks whose last 32 bits are an IPv4 address: mapped, translated and compatible addresses. */
const EMBEDDING = ['::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96', '::/96'].map(readRange)
/** Contains `::` and `::1`, which embed no IPv4 address; the whole range is blocked. */
const UNSPECIFIED = readRange('::/112')

/** Returns the IPv4 address embedded in an IPv6 address; other addresses are returned unchanged. */
function reachedBy(address: IpAddress): IpAddress {
  if (isInRange(UNSPECIFIED, address) || !isInRanges(address, EMBEDDING)) return address
  // Includes `::ffff:0:0`: the operating system treats it as 0.0.0.0, which is the local machine.
  return embeddedV4(address)
}

/** @throws TypeError */
function readRange(entry: string): IpRange {
  const range = parseIpRange(entry)
  if (range === null) throw new TypeError(`Not an address or range: ${entry}`)
  return range
}
