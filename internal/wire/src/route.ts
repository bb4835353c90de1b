import { addRoute, createRouter, findRoute } from 'rou3'

/** The result of matching: an operation, a path without this method, or nothing. */
export type RouteMatch<R> =
  | { readonly kind: 'found'; readonly route: R; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: 'method'; readonly allow: readonly string[] }
  | { readonly kind: 'none' }

export interface RouteTable<R> {
  /** `path` is compared exactly: case-sensitive, including trailing slashes. */
  match(method: string, path: string): RouteMatch<R>
}

/**
 * Finds the operation for a method and path. Patterns contain parameters as `{name}`, one whole segment
 * each; literal segments take precedence. Parameters are percent-decoded once, or kept unchanged if that
 * fails.
 */
export function createRouteTable<R extends { readonly method: string; readonly path: string }>(
  routes: readonly R[],
): RouteTable<R> {
  const byShape = new Map<string, Methods<R>>()
  for (const route of routes) {
    // Methods of one path may name its parameters differently.
    const shape = route.path.replaceAll(PARAMETER, '*')
    const methods = byShape.get(shape) ?? new Map<string, RouteWithNames<R>>()
    const names = [...route.path.matchAll(PARAMETER)].map(([, name = '']) => name)
    byShape.set(shape, methods.set(route.method, { route, names }))
  }
  const router = createRouter<Methods<R>>()
  /** For patterns with a trailing slash. */
  const slashed = createRouter<Methods<R>>()
  const literal = new Map<string, Methods<R>>()
  for (const [shape, methods] of byShape) {
    let count = 0
    if (!shape.includes('*')) literal.set(shape, methods)
    else
      addRoute(
        shape.endsWith('/') ? slashed : router,
        '',
        shape.replace(/\/$/, '').replaceAll('*', () => `:p${count++}`),
        methods,
      )
  }

  return {
    match(method, path) {
      const exact = literal.get(path)
      const found = exact === undefined ? findParametric({ router, slashed }, path) : undefined
      const methods = exact ?? found?.data
      if (methods === undefined) return { kind: 'none' }
      const named = methods.get(method)
      if (named === undefined) return { kind: 'method', allow: [...methods.keys()] }
      return {
        kind: 'found',
        route: named.route,
        params: readParams(named.names, found?.params ?? {}),
      }
    },
  }
}

const PARAMETER = /\{(\w+)\}/g

interface RouteWithNames<R> {
  readonly route: R
  readonly names: readonly string[]
}
type Methods<R> = Map<string, RouteWithNames<R>>
type Router<R> = ReturnType<typeof createRouter<Methods<R>>>

/** rou3 ignores trailing slashes; here they distinguish paths. */
function findParametric<R>(
  { router, slashed }: { readonly router: Router<R>; readonly slashed: Router<R> },
  path: string,
) {
  if (path.endsWith('//')) return undefined
  return path.endsWith('/')
    ? findRoute(slashed, '', path.slice(0, -1))
    : findRoute(router, '', path)
}

function readParams(
  names: readonly string[],
  values: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(names.map((name, index) => [name, decode(values[`p${index}`] ?? '')]))
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
