import { isResponse, type Runtime } from '@x/wire'
import type { ScimError } from '../base/errors.ts'
import type { ScimPrincipal } from '../base/principal.ts'
import { isSlow } from '../base/slow-body.ts'
import type { ScimConfig } from '../options/options.ts'
import type { Authenticate } from './authenticate.ts'
import { refusedCredential } from './challenge.ts'
import type { Exchange } from './exchange.ts'
import type { Route } from './route.ts'
import { assertScopes, scopesOf } from './scopes.ts'

/**
 * Returns the caller of a request whose body has arrived. After a slow body its credential is checked again.
 * @param begun when the credential was checked, before the body was read
 * @throws ScimError 401, 403
 */
export type CallerRevalidation = (
  exchange: Omit<Exchange, 'body'>,
  route: Route,
  begun: Date,
) => Promise<ScimPrincipal | null>

/** `CallerRevalidation` of one request; called when its body has arrived. */
export type Arrived = () => ReturnType<CallerRevalidation>

export function createCallerRevalidation(
  config: ScimConfig,
  authenticate: Authenticate,
  runtime: Pick<Runtime, 'now'>,
): CallerRevalidation {
  return async ({ request, method, principal, call }, route, begun) => {
    if (principal === null || !isSlow(begun, runtime)) return principal
    const found = await authenticate(request, call.context)
    if (isResponse(found)) throw notValid()
    const { id, tenant } = found.principal
    if (id !== principal.id || tenant !== principal.tenant) throw notValid()
    assertScopes(found.principal, scopesOf(config, route, method))
    return found.principal
  }
}

function notValid(): ScimError {
  return refusedCredential('revoked', 'The credential is no longer valid.')
}
