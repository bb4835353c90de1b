const HOST = /^(?:\[[\da-f:.]+\]|[\w\-.~!$&'()*+,;=%]+)(?::\d*)?$/i
/** Targets that the URL standard leaves as they are, so that no URL has to be built for them. */
const PLAIN = /^\/[\w\-.~!$&()*+,;=:@%/?]*$/
const DOT_SEGMENT = /\/(?:\.|%2e)/i

const origins = new Map<string, string | undefined>()

/** Scheme and Host header as an origin; undefined when the header is no valid host[:port] (AD-11). */
export function originOf(scheme: string, host: string): string | undefined {
  const text = `${scheme}://${host}`
  if (!origins.has(text)) {
    if (origins.size === 100) origins.clear()
    origins.set(text, HOST.test(host) && URL.canParse(text) ? new URL(text).origin : undefined)
  }
  return origins.get(text)
}

/** The path and query of a request target, written as `new URL(...).href` writes them (AD-11). */
export function requestPath(target: string): string {
  if (PLAIN.test(target) && !DOT_SEGMENT.test(target)) return target
  const [sent = ''] = target.split('#', 1)
  const path = sent === '*' ? '' : sent.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '')
  const { origin, href } = new URL(`http://localhost${path.startsWith('/') ? path : `/${path}`}`)
  return href.slice(origin.length)
}

/** Whether a path is `basePath` or lies below it, on whole segments (AD-5). */
export function isBelow(path: string, basePath: string): boolean {
  if (basePath === '/') return true
  if (!path.startsWith(basePath)) return false
  const next = path[basePath.length]
  return next === undefined || next === '/' || next === '?'
}
