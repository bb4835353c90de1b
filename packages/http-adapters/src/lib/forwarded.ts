/** Trusts no proxy, every proxy, or the addresses the function accepts; hop 0 is the socket's peer. */
export type TrustProxy = boolean | ((address: string, hop: number) => boolean)

/** The caller's address and the requested origin. */
export interface Caller {
  readonly address: string | undefined
  readonly scheme: 'http' | 'https'
  /** '' if the client sent none. */
  readonly host: string
}

/** The client as reported by trusted proxies; `peer` itself if its socket is not trusted. */
export function behindProxies(
  peer: Caller,
  trust: TrustProxy,
  header: (name: string) => string | null,
): Caller {
  if (trust === false) return peer
  const isTrusted = typeof trust === 'function' ? trust : () => trust
  if (!isTrusted(peer.address ?? '', 0)) return peer

  let { address } = peer
  const hops = header('x-forwarded-for')?.split(',').toReversed() ?? []
  for (const [index, hop] of hops.entries()) {
    const next = plainAddress(hop.trim())
    // After an invalid address the remaining hops are unknown.
    if (next === undefined) break
    address = next
    if (!isTrusted(next, index + 1)) break
  }
  const first = (name: string): string => header(name)?.split(',', 1)[0]?.trim() ?? ''
  const scheme = first('x-forwarded-proto').toLowerCase()
  return {
    address,
    scheme: scheme === 'http' || scheme === 'https' ? scheme : peer.scheme,
    host: first('x-forwarded-host') || peer.host,
  }
}

const VERSION4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/
/** An address, optionally with brackets, port, zone, or the prefix of IPv4-mapped addresses. */
const WRITTEN = /^\[?(?:::ffff:(?=\d+\.))?([\d.]+|[\da-f.]*:[\da-f:.]*)(?:%[^\]]*)?\]?(?::\d+)?$/i

/**
 * An address without port and zone, with IPv4-mapped IPv6 as IPv4; undefined for invalid strings.
 */
export function plainAddress(text = ''): string | undefined {
  const address = VERSION4.test(text) ? text : (WRITTEN.exec(text)?.[1] ?? '')
  return VERSION4.test(address) || URL.canParse(`http://[${address}]`) ? address : undefined
}
