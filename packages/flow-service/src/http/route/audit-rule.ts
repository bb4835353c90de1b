import type { AuditAction } from '../../store/audit.ts'
import { isObject } from '@x/wire'

/** How calls of an operation are recorded. */
export interface AuditRule {
  readonly action: AuditAction
  readonly target: 'user' | 'api_key' | 'flow' | 'project' | 'variable' | null
  /** The path parameter with the target's id. Default: the `id` of the response. */
  readonly idFrom?: string
  /** Also record refused calls. */
  readonly refused?: boolean
  /** Derives further facts from the body; undefined: nothing to record. */
  readonly facts?: (body: Readonly<Record<string, unknown>>) => AuditFacts | undefined
}

export interface AuditFacts {
  readonly action?: AuditAction
  readonly details?: Readonly<Record<string, unknown>>
}

/** Facts an operation adds to its record. */
export interface AuditNotes {
  actorId?: string
  targetId?: string
}

/** Facts of a changed user: the names of the changed fields, or that it was deactivated. */
export function userFacts(body: Readonly<Record<string, unknown>>): AuditFacts {
  const changed = Object.keys(body).filter(
    (name) => body[name] !== undefined && body[name] !== null,
  )
  const details = { changed: changed.toSorted() }
  return body['is_active'] === false ? { action: 'user.deactivated', details } : { details }
}

/** Facts of a flow whose access type is changed. */
export function sharingFacts(body: Readonly<Record<string, unknown>>): AuditFacts | undefined {
  const access = body['access_type']
  return typeof access === 'string' ? { details: { access_type: access } } : undefined
}

/** The same for a new flow, which is private by default. */
export function newSharingFacts(body: Readonly<Record<string, unknown>>): AuditFacts | undefined {
  return body['access_type'] === 'PUBLIC' ? sharingFacts(body) : undefined
}

/** The id of the response, if it is an object with one. */
export function idOfAnswer(value: unknown): string | undefined {
  const id: unknown = isObject(value) ? value['id'] : undefined
  return typeof id === 'string' ? id : undefined
}
