import { BlockList, isIP } from 'node:net'

/** Addresses that are nobody's on the public Internet (IANA special-purpose registries). */
const PRIVATE_V4 = [
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
]
const PRIVATE_V6 = [
  '::/128',
  '::1/128',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]

/** Which hosts and addresses may be fetched. */
export interface AddressRules {
  /** Whether a host is allowed by name, wherever it leads. */
  allowsHost(host: string): boolean
  allowsAddress(address: string): boolean
}

/**
 * Private ranges are closed but for `allow`: host names, addresses, and ranges in CIDR notation.
 * @throws TypeError naming an entry that cannot be read
 */
export function createAddressRules(allow: readonly string[] = []): AddressRules {
  const closed = new BlockList()
  for (const range of [...PRIVATE_V4, ...PRIVATE_V6]) addRange(closed, range)
  const opened = new BlockList()
  const hosts = new Set<string>()
  for (const entry of allow) {
    const [base = ''] = entry.split('/')
    if (isIP(bare(base)) === 0) hosts.add(entry.toLowerCase())
    else addRange(opened, entry)
  }

  return {
    allowsHost: (host) => hosts.has(bare(host).toLowerCase()),
    allowsAddress(given) {
      const address = embeddedV4(bare(given)) ?? bare(given)
      if (isIP(address) === 0) return false
      return checks(opened, address) || !checks(closed, address)
    },
  }
}

function checks(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/** Without the brackets of a URL, a zone, or a dot at the end. */
function bare(host: string): string {
  return host
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/%.*$/, '')
    .replace(/\.$/, '')
}

/** The IPv4 address inside a mapped, compatible or translated IPv6 address. */
function embeddedV4(address: string): string | undefined {
  if (isIP(address) !== 6) return undefined
  const groups = expand(address)
  const head = groups.slice(0, 6).join(':')
  const known = ['0:0:0:0:0:65535', '0:0:0:0:65535:0', '100:65435:0:0:0:0']
  const compatible = head === '0:0:0:0:0:0' && (groups[6] ?? 0) !== 0
  if (!known.includes(head) && !compatible) return undefined
  return [groups[6] ?? 0, groups[7] ?? 0].flatMap((group) => [group >> 8, group & 255]).join('.')
}

function expand(address: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  const [, lead = '', a, b, c, d] = dotted ?? []
  const plain = dotted === null ? address : `${lead}${hex(a, b)}:${hex(c, d)}`
  const [left = '', right] = plain.split('::')
  const start = left === '' ? [] : left.split(':')
  const end = right === undefined || right === '' ? [] : right.split(':')
  const middle = right === undefined ? [] : Array<string>(8 - start.length - end.length).fill('0')
  return [...start, ...middle, ...end].map((group) => Number.parseInt(group, 16))
}

function hex(high: string | undefined, low: string | undefined): string {
  return (Number(high) * 256 + Number(low)).toString(16)
}

function addRange(list: BlockList, range: string): void {
  const [base = '', prefix] = range.split('/')
  const address = bare(base)
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  const bits = prefix === undefined ? (family === 'ipv6' ? 128 : 32) : Number(prefix)
  try {
    list.addSubnet(address, bits, family)
  } catch (error) {
    throw new TypeError(`Not an address or range: ${range}`, { cause: error })
  }
}
