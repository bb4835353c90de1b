const HOST = /^(?:\[[\da-f:.]+\]|[\w\-.~!$&'()*+,;=%]+)(?::\d*)?$/i
/** Targets that URL parsing does not change, so that no URL has to be built. */
const PLAIN = /^\/[\w\-.~!$&()*+,;=:@%/?]*$/
const DOT_SEGMENT = /\/(?:\.|%2e)/i

/** Cache of origins by Host header, per scheme; null for an invalid header. */
const origins = {
  http: new Map<string, string | null>(),
  https: new Map<string, string | null>(),
}

/** Scheme and Host header as an origin; null if the header is not a valid host[:port]. */
export function originOf(scheme: 'http' | 'https', host: string): string | null {
  const known = origins[scheme]
  let origin = known.get(host)
  if (origin === undefined) {
    const url = `${scheme}://${host}`
    origin = HOST.test(host) && URL.canParse(url) ? new URL(url).origin : null
    if (known.size === 100) known.clear()
    known.set(host, origin)
  }
  return origin
}

/** True if URL parsing does not change a target, which is then neither rewritten nor absolute. */
export function isPlainTarget(target: string): boolean {
  return PLAIN.test(target) && !DOT_SEGMENT.test(target)
}

/** Path and query of a request target, serialised like `new URL(...).href`. */
export function requestPath(target: string): string {
  if (isPlainTarget(target)) return target
  const [sent = ''] = target.split('#', 1)
  const path = sent === '*' ? '' : sent.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '')
  const { origin, href } = new URL(`http://localhost${path.startsWith('/') ? path : `/${path}`}`)
  return href.slice(origin.length)
}

const DOTS = /^(?:\.|%2e){1,2}$/i

/**
 * True if URL parsing yields a different path than the one a host routes by: dot segments, a backslash, a
 * fragment, no leading slash, an absolute form. The asterisk is a form of OPTIONS only.
 */
export function isRewritten(target: string, method: string): boolean {
  if (target === '*') return method !== 'OPTIONS'
  const [path = ''] = target.split('?', 1)
  if (!path.startsWith('/') || /[#\\]/.test(path)) return true
  return DOT_SEGMENT.test(path) && path.split('/').some((segment) => DOTS.test(segment))
}

/** True if a path is within a mount's prefix, whose segments may be parameters. */
export function isInside(path: string, prefix: string): boolean {
  const sent = path.split(/[?#]/, 1)[0]?.split('/') ?? []
  const mounted = prefix.replace(/\/$/, '').split('/')
  return mounted.every(
    (segment, at) => /^[:*]/.test(segment) || segment.toLowerCase() === sent[at]?.toLowerCase(),
  )
}

/** True if a path equals `basePath` or is below it, by whole segments. */
export function isBelow(path: string, basePath: string): boolean {
  const next = path[basePath.length] ?? '/'
  return basePath === '/' || (path.startsWith(basePath) && (next === '/' || next === '?'))
}
