import { isObject } from '@x/wire'
import type { SecuritySignal, SignalSubject } from './signals.ts'

const URN = 'https://schemas.openid.net/secevent/'
const EVENTS: readonly (readonly [uri: string, event: SecuritySignal['event']])[] = [
  [`${URN}caep/event-type/session-revoked`, 'session-revoked'],
  [`${URN}caep/event-type/credential-change`, 'credential-change'],
  [`${URN}risc/event-type/account-disabled`, 'account-disabled'],
  [`${URN}risc/event-type/account-purged`, 'account-purged'],
]

/** The first known event of a token with its subject; null: there is nothing to do. */
export function signalOf(
  claims: Readonly<Record<string, unknown>>,
): Pick<SecuritySignal, 'event' | 'subject'> | null {
  const { events } = claims
  if (!isObject(events)) return null
  for (const [uri, event] of EVENTS) {
    const payload = events[uri]
    if (!isObject(payload)) continue
    const subject = subjectOf(claims['sub_id'] ?? payload['subject'])
    if (subject !== null) return { event, subject }
  }
  return null
}

function subjectOf(value: unknown): SignalSubject | null {
  if (!isObject(value)) return null
  const { format, email, iss, sub, id, user } = value
  if (format === 'email' && typeof email === 'string') return { format, email }
  if (format === 'iss_sub' && typeof iss === 'string' && typeof sub === 'string')
    return { format, iss, sub }
  if (format === 'opaque' && typeof id === 'string') return { format, id }
  // The user of a complex subject is a simple one.
  return isObject(user) && user['user'] === undefined ? subjectOf(user) : null
}
