/** No one, everyone, or the addresses that the function accepts; hop 0 is the peer of the socket. */
export type TrustProxy = boolean | ((address: string, hop: number) => boolean)

/** The caller's address and the address it requested. */
export interface Caller {
  readonly address: string | undefined
  readonly scheme: 'http' | 'https'
  /** '' where the client has named none. */
  readonly host: string
}

/** The client as trusted proxies report it; `peer` itself when its socket is not trusted (AD-10). */
export function behindProxies(
  peer: Caller,
  trust: TrustProxy,
  header: (name: string) => string | null,
): Caller {
  const isTrusted = typeof trust === 'function' ? trust : () => trust
  if (!isTrusted(peer.address ?? '', 0)) return peer

  let { address } = peer
  const hops = header('x-forwarded-for')?.split(',').toReversed() ?? []
  for (const [index, hop] of hops.entries()) {
    const next = plainAddress(hop.trim())
    // An invalid address says nothing about the hop behind it.
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
/** The address in what may stand around it: brackets, a port, a zone, the prefix of mapped IPv4. */
const WRITTEN = /^\[?(?:::ffff:(?=\d+\.))?([\d.]+|[\da-f.]*:[\da-f:.]*)(?:%[^\]]*)?\]?(?::\d+)?$/i

/** An address without port and zone, IPv4-mapped IPv6 as IPv4; undefined for other strings (AD-9). */
export function plainAddress(text = ''): string | undefined {
  const address = VERSION4.test(text) ? text : (WRITTEN.exec(text)?.[1] ?? '')
  return VERSION4.test(address) || URL.canParse(`http://[${address}]`) ? address : undefined
}
