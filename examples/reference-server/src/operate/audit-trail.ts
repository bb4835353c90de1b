import { randomUUID } from 'node:crypto'
import type { AuditAction, AuditRecord, AuditStore } from '@x/flow-service/store'
import type { ScimEvents, ScimService } from '@x/scim-core'
import type { Log } from './log.ts'

/** Writes audit records to the log, and stores those not created by the flow service (OP-11). */
export interface AuditTrail {
  /** For records that are already stored. */
  readonly logRecord: (record: AuditRecord) => void
  /** Stores and logs a record created by the server. */
  record(facts: Pick<AuditRecord, 'action' | 'via'> & Partial<AuditRecord>): Promise<void>
  /** Creates records for changes made by a directory. */
  follow(scim: ScimService): void
}

/** SCIM events that are recorded, with their action and target type. */
const SCIM_ACTIONS = {
  'user.created': ['user.created', 'user'],
  'user.updated': ['user.changed', 'user'],
  'user.activated': ['user.changed', 'user'],
  'user.deactivated': ['user.deactivated', 'user'],
  'user.deleted': ['user.deleted', 'user'],
  'token.issued': ['scim_token.issued', 'scim_token'],
  'token.rotated': ['scim_token.rotated', 'scim_token'],
  'token.revoked': ['scim_token.revoked', 'scim_token'],
} as const satisfies Partial<Record<keyof ScimEvents, readonly [AuditAction, string]>>

export function createAuditTrail(
  store: AuditStore,
  { log, onError }: { readonly log: Log; readonly onError: (error: unknown) => void },
): AuditTrail {
  const logRecord = ({ at: _at, ...record }: AuditRecord): void => log('info', 'audit', record)
  const record: AuditTrail['record'] = async (facts) => {
    const whole: AuditRecord = {
      id: randomUUID(),
      at: new Date(),
      outcome: 'ok',
      actorId: null,
      targetType: null,
      targetId: null,
      requestId: null,
      clientAddress: null,
      details: {},
      ...facts,
    }
    logRecord(whole)
    await store.append([whole]).catch(onError)
  }
  return {
    logRecord,
    record,
    follow({ events }) {
      for (const name of Object.keys(SCIM_ACTIONS) as (keyof typeof SCIM_ACTIONS)[]) {
        const [action, targetType] = SCIM_ACTIONS[name]
        events.on(name, (event) => {
          const { id: targetId, actor: actorId, requestId, tenant } = event
          const changed = 'changed' in event ? { changed: event.changed } : {}
          const details = { tenant, ...changed }
          void record({ action, via: 'scim', actorId, targetType, targetId, requestId, details })
        })
      }
    },
  }
}
