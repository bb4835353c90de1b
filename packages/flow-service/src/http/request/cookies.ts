import type { SameSite } from '../../settings.ts'

/** The cookies of a request; for duplicate names the first counts (RFC 6265). */
export function readCookies(request: Request): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>()
  for (const part of (request.headers.get('cookie') ?? '').split(';')) {
    const at = part.indexOf('=')
    const name = part.slice(0, Math.max(at, 0)).trim()
    if (name !== '' && !cookies.has(name)) cookies.set(name, unquote(part.slice(at + 1).trim()))
  }
  return cookies
}

/** A cookie to set. */
export interface Cookie {
  readonly name: string
  readonly value: string
  readonly sameSite: SameSite
  readonly secure: boolean
  readonly httpOnly: boolean
  readonly domain: string | null
  /** Default `/`. */
  readonly path?: string
  readonly expires?: Date
  readonly maxAge?: number
}

/** Formats a `set-cookie` header. */
export function formatCookie(cookie: Cookie): string {
  const { name, value, sameSite, secure, httpOnly, domain, path = '/', expires, maxAge } = cookie
  return [
    `${name}=${quote(value)}`,
    ...(domain === null ? [] : [`Domain=${domain}`]),
    ...(expires === undefined ? [] : [`expires=${expires.toUTCString()}`]),
    ...(httpOnly ? ['HttpOnly'] : []),
    ...(maxAge === undefined ? [] : [`Max-Age=${maxAge}`]),
    `Path=${path}`,
    `SameSite=${sameSite}`,
    ...(secure ? ['Secure'] : []),
  ].join('; ')
}

function quote(value: string): string {
  return /^[\w!#$%&'*+.^`|~:/?@=()<>{}[\]-]*$/.test(value)
    ? value
    : `"${value.replaceAll(/["\\]/g, '\\$&')}"`
}

function unquote(value: string): string {
  return /^".*"$/.test(value) ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value
}
