import type { ScimContext, ScimPrincipal } from './principal.ts'
import type { ScimTokenService } from './rules/tokens.ts'

/** How requests are authenticated. */
export type ScimAuth =
  /** One static bearer token (SC-68). */
  | { readonly kind: 'token'; readonly token: string }
  /** Tokens with rotation, expiry and scopes (SC-69). */
  | { readonly kind: 'tokens'; readonly service: Pick<ScimTokenService, 'authenticate'> }
  /** The host decides (SC-2). */
  | {
      readonly kind: 'host'
      readonly authenticate: (
        request: Request,
        context: ScimContext,
      ) => ScimPrincipal | null | Response | Promise<ScimPrincipal | null | Response>
    }
