import { UnreadableSecretsError } from '@x/flow-service'
import type { AuditTrail } from './audit-trail.ts'
import type { Log } from './log.ts'

/** Reports an error, with the request that it belongs to. */
export type ReportError = (error: unknown, info?: { readonly requestId?: unknown }) => void

/** Writes errors to the log; stored values that no secret key opens become an audit record as well. */
export function reportErrors(log: Log, trail: () => AuditTrail): ReportError {
  return (error, { requestId } = {}) => {
    if (!(error instanceof UnreadableSecretsError)) {
      const stack = error instanceof Error ? error.stack : undefined
      return log('error', String(error), { requestId, stack })
    }
    log('warning', error.message)
    void trail().record({
      action: 'secrets.unreadable',
      via: 'system',
      outcome: 'refused',
      details: { values: error.values.length },
    })
  }
}
