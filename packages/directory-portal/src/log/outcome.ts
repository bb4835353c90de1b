import type { ScimObservation } from '@x/scim-core'
import { WRITES, type LogOutcome } from './log-entry.ts'

const REFUSED = {
  expired: 'expired_secret',
  revoked: 'revoked_secret',
  invalid: 'wrong_secret',
  paused: 'paused',
  unavailable: 'failed',
} as const satisfies Record<NonNullable<ScimObservation['refused']>, LogOutcome>

/** What became of a request, in one word. */
export function outcomeOf(request: ScimObservation): LogOutcome {
  const { refused, status, op } = request
  if (refused !== undefined) return REFUSED[refused]
  if (status >= 400) return failureOf(status)
  if (op === 'discover') return 'discovery'
  if (op === 'create') return request.adopted === 'recreated' ? 'activated' : 'created'
  return WRITES.has(op) ? changeOf(request) : foundBy(request)
}

function failureOf(status: number): LogOutcome {
  if (status === 429) return 'rate_limited'
  if (status >= 500) return 'failed'
  if (status === 404) return 'not_found'
  if (status === 409) return 'conflict'
  return status === 401 || status === 403 ? 'refused' : 'invalid'
}

function changeOf({ events, op, changed, members }: ScimObservation): LogOutcome {
  if (events.includes('user.deactivated')) return 'deactivated'
  if (events.includes('user.activated')) return 'activated'
  if (op === 'delete') return 'deleted'
  if (members !== undefined && members.added + members.removed > 0) return 'members_changed'
  return changed.length > 0 ? 'updated' : 'unchanged'
}

function foundBy({ results }: ScimObservation): LogOutcome {
  return results === 0 ? 'not_found' : 'found'
}
