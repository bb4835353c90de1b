import type { ScimError } from '../errors.ts'
import type { ScimOptions } from '../options.ts'
import type { Subject } from '../rules/audit.ts'
import type { Cursors } from '../resource/cursor.ts'
import type { Call, Rules } from '../rules/call.ts'
import type { GroupRules } from '../rules/groups.ts'
import type { UserRules } from '../rules/users.ts'
import type { ScimPrincipal } from '../principal.ts'

/** What the routes work with: the rules of both types, and the options of HTTP. */
export interface Routes {
  readonly rules: Rules
  readonly users: UserRules
  readonly groups: GroupRules
  /** null: cursor paging is off. */
  readonly cursors: Cursors | null
  readonly resolveMe: ScimOptions['resolveMe']
  readonly failed: (error: unknown, requestId: string) => void
  /** Writes the audit entry of one operation of a bulk request. */
  readonly audit: (subject: Subject, call: Call, status: number, error?: ScimError) => void
}

/** One authenticated request on its way through a route. */
export interface Exchange {
  readonly request: Request
  readonly method: string
  readonly query: ReadonlyMap<string, readonly string[]>
  readonly principal: ScimPrincipal | null
  readonly call: Call
  /** The JSON body of POST, PUT and PATCH. */
  readonly body: Readonly<Record<string, unknown>>
}
