import type { IgnoredReason } from '../base/notes.ts'
import type { ScimAuthProblem } from '../base/principal.ts'
import type { ScimAuditEntry } from './events.ts'

/** A finished request with what it sent, for `observe`: the audit entry, and values that it leaves out. */
export interface ScimObservation extends Omit<ScimAuditEntry, 'ignored' | 'ignoredCount'> {
  /** Path of the request without its query; null for an operation of Bulk and in process. */
  readonly path: string | null
  /** Detail of the error. */
  readonly detail: string | null
  /** userName or displayName of the resource. */
  readonly name: string | null
  /** How many resources a list or search found. */
  readonly results?: number
  /** Id of the credential. */
  readonly secretId: string | null
  readonly clientAddress: string | null
  /** Why a known credential, or one of a known connection, was refused. */
  readonly refused?: ScimAuthProblem['problem']
  /** What was not stored and why: at most 1,000 paths of at most 100 characters. */
  readonly ignored: readonly { readonly path: string; readonly reason: IgnoredReason }[]
  /** The parsed body of a write of a user, without `password`. */
  readonly body?: unknown
}
