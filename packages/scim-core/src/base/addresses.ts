import { ScimConfigError } from './errors.ts'

/** Returns whether an address is allowed. */
export type AddressFilter = (address: string | undefined) => boolean

interface Range {
  readonly bits: bigint
  readonly length: number
  readonly shift: bigint
}

/**
 * Parses IPv4 and IPv6 addresses and CIDR ranges. IPv4-mapped IPv6 addresses are compared as IPv4.
 * @throws ScimConfigError for an entry that is neither
 */
export function createAddressFilter(entries: readonly string[]): AddressFilter {
  const ranges = entries.map(parseRange)
  return (address) => {
    const parsed = address === undefined ? null : parseAddress(address)
    if (parsed === null) return false
    return ranges.some(
      ({ bits, length, shift }) =>
        length === parsed.length && bits >> shift === parsed.bits >> shift,
    )
  }
}

interface Address {
  readonly bits: bigint
  readonly length: number
}

function parseRange(entry: string): Range {
  const [text = '', prefix, rest] = entry.trim().split('/')
  const address = parseAddress(text)
  const size =
    prefix === undefined ? address?.length : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1
  if (
    address === null ||
    size === undefined ||
    size < 0 ||
    size > address.length ||
    rest !== undefined
  ) {
    throw new ScimConfigError('allowedAddresses', `${entry} is neither an address nor a CIDR range`)
  }
  return { ...address, shift: BigInt(address.length - size) }
}

function parseAddress(text: string): Address | null {
  if (!text.includes(':')) return parseV4(text)
  const plain = text.replace(/%.*/s, '').replace(/^\[(.*)\]$/, '$1')
  const mapped = /^::ffff:([\d.]+)$/i.exec(plain)?.[1]
  return mapped === undefined ? parseV6(plain) : parseV4(mapped)
}

function parseV4(text: string): Address | null {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) {
    return null
  }
  return { bits: parts.reduce((bits, part) => (bits << 8n) | BigInt(part), 0n), length: 32 }
}

function parseV6(text: string): Address | null {
  const [head = '', tail, more] = text.split('::')
  if (more !== undefined) return null
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const missing = 8 - left.length - right.length
  if (tail === undefined ? missing !== 0 : missing < 1) return null
  const groups = [...left, ...Array.from({ length: missing }, () => '0'), ...right]
  if (!groups.every((group) => /^[\da-f]{1,4}$/i.test(group))) return null
  return {
    bits: groups.reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n),
    length: 128,
  }
}
