import type { ScimPrincipal } from '../base/principal.ts'
import type { Call } from '../rules/call.ts'

/** An authenticated request being handled by a route. */
export interface Exchange {
  readonly request: Request
  readonly method: string
  readonly query: ReadonlyMap<string, readonly string[]>
  readonly principal: ScimPrincipal | null
  readonly call: Call
  /** The JSON body of POST, PUT and PATCH. */
  readonly body: Readonly<Record<string, unknown>>
}
