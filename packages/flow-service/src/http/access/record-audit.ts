import { isObject, type Runtime } from '@x/wire'
import type { Caller } from '../../services/base/caller.ts'
import type { AuditRecord } from '../../store/audit.ts'
import type { HostContext } from '../../options.ts'
import { idOfAnswer, type AuditNotes, type AuditRule } from '../route/audit-rule.ts'

/** Stores a record; never rejects. */
export type WriteAudit = (record: AuditRecord) => Promise<void>

/** A call to record. */
export interface AuditedCall {
  readonly caller: Caller | undefined
  readonly params: unknown
  readonly body: unknown
  readonly context: HostContext
  readonly requestId: string
  readonly notes: AuditNotes
}

/** The audit record of a call; undefined if there is nothing to record. */
export function auditRecord(
  rule: AuditRule,
  call: AuditedCall,
  result: { readonly outcome: AuditRecord['outcome']; readonly value?: unknown },
  runtime: Runtime,
): AuditRecord | undefined {
  const { caller, notes, params, requestId, context } = call
  const body = isObject(call.body) ? call.body : {}
  const facts = rule.facts === undefined ? {} : rule.facts(body)
  if (facts === undefined) return undefined
  const named: unknown =
    rule.idFrom !== undefined && isObject(params) ? params[rule.idFrom] : undefined
  const targetId =
    notes.targetId ?? (typeof named === 'string' ? named : idOfAnswer(result.value)) ?? null
  return {
    id: runtime.uuid(),
    at: runtime.now(),
    action: facts.action ?? rule.action,
    outcome: result.outcome,
    actorId: notes.actorId ?? caller?.id ?? null,
    via: caller?.via ?? null,
    targetType: rule.target,
    targetId,
    requestId,
    clientAddress: context.clientAddress ?? null,
    details: facts.details ?? {},
  }
}
