import { json } from '@x/wire'
import type { HostContext } from '../../options.ts'
import type { FlowSettings } from '../../settings.ts'

type HostSettings = Pick<FlowSettings, 'autoLogin' | 'allowedHosts' | 'publicUrl'>

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * Refuses requests for foreign host names: with DNS rebinding, a page of another site could
 * otherwise read what auto login gives to any client. Accepted are `localhost`, loopback addresses, the host
 * of `publicUrl` and `allowedHosts`; requests without a host are refused too. Everything is accepted while
 * auto login is off and `allowedHosts` is empty.
 */
export function createHostGate(
  settings: HostSettings,
): (request: Request, context?: Pick<HostContext, 'hostMissing'>) => Response | undefined {
  const { autoLogin, allowedHosts, publicUrl } = settings
  if (!autoLogin && allowedHosts.length === 0) return () => undefined
  const known = hostNames({ allowedHosts, publicUrl })
  return (request, { hostMissing = false } = {}) => {
    const { hostname } = new URL(request.url)
    if (!hostMissing && (isLoopbackName(hostname) || known.has(hostname))) return undefined
    return json(request, { detail: 'Host not allowed' }, { status: 403 })
  }
}

/** True if a host name always refers to this machine. */
export function isLoopbackName(hostname: string): boolean {
  return LOOPBACK.test(hostname)
}

/** The host names configured in the settings. */
export function hostNames({
  allowedHosts,
  publicUrl,
}: Pick<HostSettings, 'allowedHosts' | 'publicUrl'>): ReadonlySet<string> {
  const known = new Set(allowedHosts.map(nameOf))
  if (URL.canParse(publicUrl)) known.add(new URL(publicUrl).hostname)
  return known
}

/** A host name in normal form: lower case, without a port. */
function nameOf(host: string): string {
  const url = `http://${host.trim()}`
  return URL.canParse(url) ? new URL(url).hostname : host
}
