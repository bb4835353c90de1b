import { addRoute, createRouter, findRoute } from 'rou3'

/** What a path stands for: an operation, a path without this method, or nothing. */
export type RouteMatch<R> =
  | { readonly kind: 'found'; readonly route: R; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: 'method'; readonly allow: readonly string[] }
  | { readonly kind: 'none' }

export interface RouteTable<R> {
  /** `path` is compared as it is: case-sensitive, a slash at the end counts. */
  match(method: string, path: string): RouteMatch<R>
}

/**
 * Finds the operation for a method and a path. Patterns hold parameters as `{name}`, one whole
 * segment each; literal segments win over parameters. Parameters are percent-decoded once, and kept
 * as they are where that fails.
 */
export function createRouteTable<R extends { readonly method: string; readonly path: string }>(
  routes: readonly R[],
): RouteTable<R> {
  const byPath = new Map<string, Map<string, R>>()
  for (const route of routes) {
    const methods = byPath.get(route.path) ?? new Map<string, R>()
    byPath.set(route.path, methods.set(route.method, route))
  }
  const router = createRouter<Map<string, R>>()
  const literal = new Map<string, Map<string, R>>()
  for (const [path, methods] of byPath) {
    if (path.includes('{')) addRoute(router, '', path.replaceAll(/\{(\w+)\}/g, ':$1'), methods)
    else literal.set(path, methods)
  }

  return {
    match(method, path) {
      const exact = literal.get(path)
      const found = exact === undefined ? findParametric(router, path) : undefined
      const methods = exact ?? found?.data
      if (methods === undefined) return { kind: 'none' }
      const route = methods.get(method)
      if (route === undefined) return { kind: 'method', allow: [...methods.keys()] }
      return { kind: 'found', route, params: decodeAll(found?.params ?? {}) }
    },
  }
}

type Router<R> = ReturnType<typeof createRouter<Map<string, R>>>

/** rou3 takes a slash at the end for nothing; here it is another path. */
function findParametric<R>(router: Router<R>, path: string) {
  return path.endsWith('/') ? undefined : findRoute(router, '', path)
}

function decodeAll(params: Readonly<Record<string, string>>): Record<string, string> {
  const decoded: Record<string, string> = {}
  for (const [name, value] of Object.entries(params)) decoded[name] = decode(value)
  return decoded
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
