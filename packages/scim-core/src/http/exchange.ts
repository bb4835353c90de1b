import type { ScimPrincipal } from '../base/principal.ts'
import type { Call } from '../rules/call.ts'

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
