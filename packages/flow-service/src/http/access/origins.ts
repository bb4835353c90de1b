import { refuse } from '../../refusal.ts'
import type { FlowSettings } from '../../settings.ts'

type OriginSettings = Pick<FlowSettings, 'publicUrl' | 'corsOrigins'>

/** True if an origin is the service's own or one that the settings name. */
export function isOwnOrigin(origin: string, url: URL, settings: OriginSettings): boolean {
  const { corsOrigins, publicUrl } = settings
  return (
    `${publicUrl}/`.startsWith(`${origin}/`) ||
    origin === url.origin ||
    corsOrigins.includes(origin)
  )
}

/** True for cross-site requests. Browsers indicate them; other clients send neither header. */
export function isForeign(headers: Headers, url: URL, settings: OriginSettings): boolean {
  const origin = headers.get('origin')
  const site = headers.get('sec-fetch-site')
  // Behind a proxy the service may not know its own origin, but the browser does.
  if (site === 'same-origin') return false
  if (origin === null) return site === 'cross-site' || site === 'same-site'
  return !isOwnOrigin(origin, url, settings) && !settings.corsOrigins.includes('*')
}

/**
 * Refuses requests of other sites, whose pages could sign a user in to another account.
 * @throws Refusal 403
 */
export function refuseForeign(headers: Headers, url: URL, settings: OriginSettings): void {
  if (isForeign(headers, url, settings)) throw refuse(403, 'Origin not allowed')
}
