const VERSION4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/

/** Nobody, everybody, or those for whom the function says so; hop 0 is the peer of the socket. */
export type TrustProxy = boolean | ((address: string, hop: number) => boolean)

/** Where a request comes from and what it asked for. */
export interface Caller {
  readonly address: string | undefined
  readonly scheme: 'http' | 'https'
  readonly host: string
}

/** What trusted proxies say of the client (AD-10); `peer` itself when its socket is not trusted. */
export function behindProxies(
  peer: Caller,
  trust: TrustProxy,
  header: (name: string) => string | null,
): Caller {
  const trusted = (address: string, hop: number): boolean =>
    typeof trust === 'function' ? trust(address, hop) : trust
  if (trust === false || !trusted(peer.address ?? '', 0)) return peer

  let { address } = peer
  const hops = header('x-forwarded-for')?.split(',').toReversed() ?? []
  for (const [index, hop] of hops.entries()) {
    const next = plainAddress(hop.trim())
    // What is no address tells nothing of who is behind it.
    if (next === undefined) break
    address = next
    if (!trusted(next, index + 1)) break
  }
  const scheme = first(header('x-forwarded-proto')).toLowerCase()
  return {
    address,
    scheme: scheme === 'http' || scheme === 'https' ? scheme : peer.scheme,
    host: first(header('x-forwarded-host')) || peer.host,
  }
}

/** An address without port and zone, IPv4-mapped IPv6 as IPv4; undefined when it is none (AD-9). */
export function plainAddress(text: string | undefined): string | undefined {
  if (text !== undefined && VERSION4.test(text)) return text
  const bare = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text ?? '')
  const address = (bare?.[1] ?? bare?.[2] ?? text ?? '').replace(/%.*$/, '')
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1] ?? address
  return VERSION4.test(mapped) ||
    (/^[\da-f:.]+$/i.test(mapped) && URL.canParse(`http://[${mapped}]`))
    ? mapped
    : undefined
}

function first(header: string | null): string {
  return header?.split(',', 1)[0]?.trim() ?? ''
}
