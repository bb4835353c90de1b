import type { FlowSettings } from '../../settings.ts'
import { refuse } from '../../refusal.ts'
import { hostNames, isLoopbackName } from './host-gate.ts'

type GateSettings = Pick<FlowSettings, 'publicUrl' | 'corsOrigins' | 'allowedHosts'>

/**
 * Refuses cross-origin pages and foreign host names.
 * @throws Refusal 403
 */
export function checkMcpOrigin(headers: Headers, url: URL, settings: GateSettings): void {
  const { publicUrl, corsOrigins } = settings
  const own = URL.canParse(publicUrl) ? new URL(publicUrl) : url
  const origin = headers.get('origin')
  const isAllowed = (given: string): boolean =>
    given === own.origin || corsOrigins.includes(given) || corsOrigins.includes('*')
  if (origin !== null && !isAllowed(origin)) throw refuse(403, 'Origin not allowed')
  if (publicUrl === '' || !isLoopbackName(own.hostname) || isLoopbackName(url.hostname)) return
  if (!hostNames(settings).has(url.hostname)) throw refuse(403, 'Host not allowed')
}
