import type { SignIn } from '../../services/accounts/session.ts'
import type { FlowSettings } from '../../settings.ts'
import { formatCookie, type Cookie } from '../request/cookies.ts'

/** Cookie names are part of the wire contract: the web editor reads and writes them. */
export const ACCESS_COOKIE = 'access_token_lf'
export const REFRESH_COOKIE = 'refresh_token_lf'
export const STORE_KEY_COOKIE = 'apikey_tkn_lflw'

type Attributes = Pick<Cookie, 'sameSite' | 'secure' | 'httpOnly' | 'domain' | 'path'>

function accessAttributes(settings: FlowSettings): Attributes {
  return {
    sameSite: settings.accessSameSite,
    secure: settings.accessSecure,
    httpOnly: settings.accessHttponly,
    domain: settings.cookieDomain,
    path: settings.basePath || '/',
  }
}

function refreshAttributes(settings: FlowSettings): Attributes {
  return {
    sameSite: settings.refreshSameSite,
    secure: settings.refreshSecure,
    httpOnly: settings.refreshHttponly,
    domain: settings.cookieDomain,
    path: settings.basePath || '/',
  }
}

/** The cookies of a sign-in; a refresh leaves the store key's cookie unchanged. */
export function sessionCookies(
  settings: FlowSettings,
  session: SignIn,
  kind: 'login' | 'refresh' | 'auto',
): string[] {
  const cookies: Cookie[] = [
    {
      name: ACCESS_COOKIE,
      value: session.accessToken,
      ...accessAttributes(settings),
      ...(session.accessExpires === null ? {} : { expires: session.accessExpires }),
    },
  ]
  if (session.refreshToken !== null) {
    cookies.unshift({
      name: REFRESH_COOKIE,
      value: session.refreshToken,
      ...refreshAttributes(settings),
      ...(session.refreshExpires === null ? {} : { expires: session.refreshExpires }),
    })
  }
  if (kind !== 'refresh') {
    const none = kind === 'auto' ? '' : 'None'
    cookies.push(storeKey(settings, session.user.storeApiKey ?? none))
  }
  return cookies.map(formatCookie)
}

/** The cookie with the encrypted component store key. */
export function storeKeyCookie(settings: FlowSettings, sealed: string): string {
  return formatCookie(storeKey(settings, sealed))
}

function storeKey(settings: FlowSettings, value: string): Cookie {
  return { name: STORE_KEY_COOKIE, value, ...accessAttributes(settings) }
}

/** All three cookies, cleared, with the attributes they were set with. */
export function signedOutCookies(settings: FlowSettings, now: Date): string[] {
  const emptied = { value: '', maxAge: 0, expires: now }
  return [
    { name: REFRESH_COOKIE, ...emptied, ...refreshAttributes(settings) },
    { name: ACCESS_COOKIE, ...emptied, ...accessAttributes(settings) },
    { name: STORE_KEY_COOKIE, ...emptied, ...accessAttributes(settings) },
  ].map(formatCookie)
}

/** A response that sets cookies. */
export function withCookies(response: Response, cookies: readonly string[]): Response {
  const answer = new Response(response.body, response)
  for (const cookie of cookies) answer.headers.append('set-cookie', cookie)
  return answer
}
