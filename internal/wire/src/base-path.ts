/**
 * Reads the option `basePath` of a handler: '' for none, else a path that begins with a slash and does not
 * end with one.
 * @returns the path, or the complaint about the option without its name
 */
export function checkBasePath(
  value: unknown,
): { readonly path: string } | { readonly problem: string } {
  if (value === '' || value === '/') return { path: '' }
  if (typeof value !== 'string') {
    return { problem: `must be a path such as '/flows', got ${typeof value}` }
  }
  const segments = value.split('/').filter((segment) => segment !== '')
  const path = `/${segments.join('/')}`
  if (value === path && !/[?#\s]/.test(value)) return { path }
  const shown = value.length > 60 ? `${value.slice(0, 60)}...` : value
  const hint = segments.length === 0 || /[?#\s]/.test(value) ? '' : `; write '${path.slice(0, 60)}'`
  return { problem: `must begin with / and not end with /, got '${shown}'${hint}` }
}

/** The part of a path below a base path, by whole segments; undefined if it is not below it. */
export function pathBelow(path: string, basePath: string): string | undefined {
  if (!path.startsWith(basePath)) return undefined
  const rest = path.slice(basePath.length)
  return rest === '' || rest.startsWith('/') ? rest : undefined
}

/** Prefixes that are looked at, so that a path of a thousand slashes costs no more than others. */
const MAX_SEGMENTS = 16

/**
 * Where a handler is probably mounted: what precedes the known route at the end of a path. Undefined if
 * the path ends with none.
 */
export function mountedAt(path: string, isRoute: (path: string) => boolean): string | undefined {
  let at = 0
  for (let count = 0; at !== -1 && count < MAX_SEGMENTS; count += 1) {
    if (isRoute(path.slice(at))) return at === 0 ? '/' : path.slice(0, at)
    at = path.indexOf('/', at + 1)
  }
  return undefined
}

/** The sentence about a path outside of the base path; names the option if it is clear what to pass. */
export function outsideBasePath(
  path: string,
  { place, mount }: { readonly place: string; readonly mount: string | undefined },
): string {
  const shown = path.length > 300 ? `${path.slice(0, 300)}...` : path
  const sentence = `The path ${shown} is not below the ${place}.`
  if (mount === undefined) return sentence
  return `${sentence} If the handler is mounted at ${mount}, pass basePath: "${mount}".`
}
