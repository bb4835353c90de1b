/** An IPv4 or IPv6 address. */
export interface IpAddress {
  readonly bits: bigint
  /** 32 or 128. */
  readonly length: number
}

/** The addresses that share a prefix. */
export interface IpRange extends IpAddress {
  /** Bits after the prefix. */
  readonly shift: bigint
}

/** Whether a range contains an address of its own kind. */
export function isInRange({ bits, length, shift }: IpRange, address: IpAddress): boolean {
  return length === address.length && bits >> shift === address.bits >> shift
}

/** Reads an address or a range in CIDR notation; null for anything else. */
export function parseIpRange(entry: string): IpRange | null {
  const [text = '', prefix, rest] = entry.trim().split('/')
  const address = parseIpAddress(text)
  if (address === null || rest !== undefined) return null
  const size =
    prefix === undefined ? address.length : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1
  if (size < 0 || size > address.length) return null
  return { ...address, shift: BigInt(address.length - size) }
}

/** Reads an address, with or without the brackets of a URL and a zone id; null for anything else. */
export function parseIpAddress(text: string): IpAddress | null {
  if (!text.includes(':')) return parseV4(text)
  return parseV6(text.replace(/^\[(.*)\]$/s, '$1').replace(/%.*/s, ''))
}

/** The last 32 bits of an IPv6 address as an IPv4 address. */
export function embeddedV4({ bits }: IpAddress): IpAddress {
  return { bits: bits & 0xffff_ffffn, length: 32 }
}

function parseV4(text: string): IpAddress | null {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) {
    return null
  }
  return { bits: parts.reduce((bits, part) => (bits << 8n) | BigInt(part), 0n), length: 32 }
}

/** The last two groups may be an IPv4 address. */
function parseV6(text: string): IpAddress | null {
  const last = text.lastIndexOf(':') + 1
  if (last > 0 && text.includes('.', last)) {
    const v4 = parseV4(text.slice(last))
    if (v4 === null) return null
    return parseV6(
      `${text.slice(0, last)}${(v4.bits >> 16n).toString(16)}:${(v4.bits & 0xffffn).toString(16)}`,
    )
  }
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
