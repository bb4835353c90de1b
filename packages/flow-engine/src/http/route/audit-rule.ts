import type { AuditAction } from '../../store/audit.ts'
import { isObject } from '@x/wire'

/** How calls of an operation are recorded (OP-11). */
export interface AuditRule {
  readonly action: AuditAction
  readonly target: 'user' | 'api_key' | 'flow' | 'project' | 'variable' | null
  /** The parameter of the path that holds the target's id; the answer's `id` by default. */
  readonly idFrom?: string
  /** Refused calls are recorded too. */
  readonly refused?: boolean
  /** Other facts that follow from the body; undefined: there is nothing to record. */
  readonly facts?: (body: Readonly<Record<string, unknown>>) => AuditFacts | undefined
}

export interface AuditFacts {
  readonly action?: AuditAction
  readonly details?: Readonly<Record<string, unknown>>
}

/** What an operation found out for its record. */
export interface AuditNotes {
  actorId?: string
  targetId?: string
}

/** Records of a user that was changed: the names of the fields, or that it may not sign in any more. */
export function userFacts(body: Readonly<Record<string, unknown>>): AuditFacts {
  const changed = Object.keys(body).filter(
    (name) => body[name] !== undefined && body[name] !== null,
  )
  const details = { changed: changed.toSorted() }
  return body['is_active'] === false ? { action: 'user.deactivated', details } : { details }
}

/** Records of a flow whose sharing is named. */
export function sharingFacts(body: Readonly<Record<string, unknown>>): AuditFacts | undefined {
  const access = body['access_type']
  return typeof access === 'string' ? { details: { access_type: access } } : undefined
}

/** The same of a new flow, which is private unless it says otherwise. */
export function newSharingFacts(body: Readonly<Record<string, unknown>>): AuditFacts | undefined {
  return body['access_type'] === 'PUBLIC' ? sharingFacts(body) : undefined
}

/** The id of what is answered, where it is an object that has one. */
export function idOfAnswer(value: unknown): string | undefined {
  const id: unknown = isObject(value) ? value['id'] : undefined
  return typeof id === 'string' ? id : undefined
}
