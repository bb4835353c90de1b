import type { ConnectionProvider } from '../base/connection-settings.ts'
import type { Notes } from '../base/notes.ts'
import type { ScimAuditEntry, ScimEmitter, ScimEventName } from '../options/events.ts'
import { ScimError } from '../base/errors.ts'
import type { ScimConfig, ScimOptions } from '../options/options.ts'
import type { ScimContext } from '../base/principal.ts'
import type { Presenter } from '../resource/present.ts'
import type { PatchContext } from '../patch/step.ts'

/** Dependencies of the rules besides the call: options, emitter and the host's veto. */
export interface Rules {
  readonly config: ScimConfig
  readonly read: PatchContext
  readonly emitter: ScimEmitter
  readonly beforeCommit: ScimOptions['beforeCommit']
}

/** One operation: caller, target, time and outcome. */
export interface Call {
  readonly tenant: string
  readonly actor: string | null
  readonly requestId: string
  readonly context: ScimContext
  readonly presenter: Presenter
  readonly now: Date
  /** Id of the caller's connection. */
  readonly connectionId?: string | undefined
  readonly provider?: ConnectionProvider | undefined
  /** True if the host itself calls, not a client over HTTP. */
  readonly isInProcess: boolean
  /** For `If-Match`; only with etag. */
  readonly ifMatch: string | null
  /** Filled in while the operation runs. */
  readonly trace: Trace
}

/** The audit entry's part of a call. */
export interface Trace extends Notes {
  resourceId: string | null
  changed: readonly string[]
  members: { readonly added: number; readonly removed: number } | null
  userName: string | null
  /** How a create took over an existing account. */
  adopted?: NonNullable<ScimAuditEntry['adopted']>
  /** What a 409 is about. */
  conflict?: NonNullable<ScimAuditEntry['conflict']>
  /** How many resources a list found. */
  results?: number
  /** The parsed body of a write, for `observe`. */
  body?: unknown
  /** In place of its id: a user that an account of the host stands in the way of. */
  account?: string
  /** The resource exists no longer. */
  isRemoved?: true
  /** The users of a list with few results. */
  listed?: readonly string[]
  readonly events: ScimEventName[]
}

export function createTrace(): Trace {
  return {
    resourceId: null,
    changed: [],
    members: null,
    userName: null,
    events: [],
    ignored: new Map(),
    adjusted: new Set(),
  }
}

/** The context of reading what a call sends. */
export function readContext({ read }: Rules, { presenter, trace }: Call): PatchContext {
  return { ...read, baseUrl: presenter.baseUrl, notes: trace }
}

/** Later than before even if the clock stands still. */
export function laterThan(previous: Date, now: Date): Date {
  return new Date(Math.max(now.getTime(), previous.getTime() + 1))
}

/** 409 uniqueness; the value is not included. */
export function notUnique(attribute: string): ScimError {
  return new ScimError('uniqueness', `The ${attribute} is in use.`)
}
