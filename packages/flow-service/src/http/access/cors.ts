import type { FlowSettings } from '../../settings.ts'

const METHODS = 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT'

/** CORS headers. */
export interface Cors {
  /** The response to a preflight; undefined for other requests. */
  preflight(request: Request): Response | undefined
  /** Headers for the response to this request. */
  headers(request: Request): Readonly<Record<string, string>>
}

/** CORS as configured; without origins no headers are sent and preflights are not handled. */
export function createCors(settings: FlowSettings): Cors {
  const { corsOrigins, corsAllowCredentials, corsAllowMethods, corsAllowHeaders } = settings
  const any = corsOrigins.includes('*')
  const allowed = (origin: string | null): origin is string =>
    origin !== null && (any || corsOrigins.includes(origin))

  const headers = (request: Request): Readonly<Record<string, string>> => {
    const origin = request.headers.get('origin')
    if (corsOrigins.length === 0) return {}
    if (!allowed(origin)) return any ? {} : { vary: 'Origin' }
    if (any) return { 'access-control-allow-origin': '*' }
    return {
      'access-control-allow-origin': origin,
      ...(corsAllowCredentials ? { 'access-control-allow-credentials': 'true' } : {}),
      vary: 'Origin',
    }
  }

  return {
    headers,
    preflight(request) {
      const origin = request.headers.get('origin')
      const method = request.headers.get('access-control-request-method')
      if (request.method !== 'OPTIONS' || origin === null || method === null) return undefined
      if (!allowed(origin)) return new Response(null, { status: 204, headers: headers(request) })
      const asked = request.headers.get('access-control-request-headers')
      const names = corsAllowHeaders.includes('*') ? asked : corsAllowHeaders.join(', ')
      return new Response(null, {
        status: 204,
        headers: {
          ...headers(request),
          'access-control-allow-methods': corsAllowMethods.includes('*')
            ? METHODS
            : corsAllowMethods.join(', '),
          ...(names === null ? {} : { 'access-control-allow-headers': names }),
          'access-control-max-age': '600',
        },
      })
    },
  }
}
