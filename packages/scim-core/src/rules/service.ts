import type { ConnectionProvider, ConnectionSettings } from '../base/connection-settings.ts'
import type { ScimError } from '../base/errors.ts'
import type { ScimAuthProblem, ScimContext } from '../base/principal.ts'
import type { ScimOptions } from '../options/options.ts'
import type { Cursors } from '../resource/cursor.ts'
import type { ResourceTypeName } from '../schema/registry.ts'
import type { GroupRecord } from '../store/groups.ts'
import type { ResourceRecord } from '../store/resources.ts'
import type { UserRecord } from '../store/users.ts'
import type { Subject } from './audit.ts'
import type { Call, Rules, Trace } from './call.ts'
import type { GroupRules } from './groups.ts'
import type { UserRules } from './users.ts'

/** Facts of a finished operation, for its audit entry. */
export interface Outcome {
  readonly started: Date
  readonly requestId: string
  readonly tenant: string | null
  readonly actor: string | null
  readonly status: number
  readonly error?: ScimError | undefined
  readonly trace?: Trace | undefined
  readonly connectionId?: string | undefined
  readonly provider?: ConnectionProvider | undefined
  /** What only `observe` is told of a request. */
  readonly seen?: Seen | undefined
  /** The response ended prematurely. */
  readonly aborted?: boolean
}

/** Facts of a request that no audit entry has. */
export interface Seen {
  readonly path: string | null
  readonly secretId: string | null
  readonly clientAddress: string | null
  /** What is known of a refused credential. */
  readonly refused?: ScimAuthProblem | undefined
}

/** The input of a call. */
export interface CallInput {
  readonly tenant: string
  readonly actor: string | null
  readonly requestId: string
  readonly context: ScimContext
  readonly now: Date
  readonly ifMatch: string | null
  readonly isInProcess: boolean
  readonly connectionId?: string | undefined
  readonly provider?: ConnectionProvider | undefined
}

/** A record of any type. */
export type AnyRecord = UserRecord | GroupRecord | ResourceRecord

/** The writes supported by every type. */
export interface WriteRules {
  create(call: Call, body: unknown): Promise<AnyRecord>
  replace(call: Call, id: string, body: unknown): Promise<AnyRecord>
  patch(call: Call, id: string, operations: () => readonly unknown[]): Promise<AnyRecord>
  delete(call: Call, id: string): Promise<void>
}

/** All parts that serve requests, created from the options of a service. */
export interface Service extends Rules {
  readonly users: UserRules
  readonly groups: GroupRules
  /** The writes of a type. */
  readonly writesOf: (type: ResourceTypeName) => WriteRules
  /** null: cursor paging is disabled. */
  readonly cursors: Cursors | null
  readonly resolveMe: ScimOptions['resolveMe']
  /** The same service with the options of a connection. */
  readonly withSettings: (settings: ConnectionSettings | undefined) => Service
  readonly createCall: (input: CallInput) => Call
  readonly audit: (subject: Subject, outcome: Outcome) => void
  /** Passes an error that results in a 500 response to `onError` and the event `error`. */
  readonly failed: (error: unknown, requestId: string) => void
  /** Passes an error thrown by a host's callback to `onError`. */
  readonly report: (error: unknown, requestId: string) => void
}
