/** A request's path and query, extracted from its URL without parsing the rest. */
export interface RequestTarget {
  readonly path: string
  /** Without the question mark; empty if there is none. */
  readonly query: string
}

export function parseTarget(url: string): RequestTarget {
  const scheme = url.indexOf('://')
  const start = scheme === -1 ? 0 : url.indexOf('/', scheme + 3)
  if (start === -1) return { path: '/', query: '' }
  const hash = url.indexOf('#', start)
  const end = hash === -1 ? url.length : hash
  const mark = url.indexOf('?', start)
  if (mark === -1 || mark > end) return { path: url.slice(start, end), query: '' }
  return { path: url.slice(start, mark), query: url.slice(mark + 1, end) }
}

/** Repeated slashes as one. */
export function singleSlashes(path: string): string {
  return path.includes('//') ? path.replaceAll(/\/{2,}/g, '/') : path
}

/** Percent-decodes once; returns the string unchanged if it cannot be decoded. */
export function decodeOnce(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Query parameters: the first of each name, or all of those that may be repeated. */
export function parseQuery(query: string): ReadonlyMap<string, readonly string[]> {
  if (query === '') return NO_PARAMETERS
  const parameters = new Map<string, string[]>()
  for (const part of query.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decodePlus(equals === -1 ? part : part.slice(0, equals))
    const value = equals === -1 ? '' : decodePlus(part.slice(equals + 1))
    const known = parameters.get(name)
    if (known === undefined) parameters.set(name, [value])
    else known.push(value)
  }
  return parameters
}

const NO_PARAMETERS: ReadonlyMap<string, readonly string[]> = new Map()

function decodePlus(text: string): string {
  return decodeOnce(text.includes('+') ? text.replaceAll('+', ' ') : text)
}
