import type { ScimContext, ScimPrincipal } from '../base/principal.ts'

/** How requests are authenticated. */
export type ScimAuth =
  /** One static bearer token (SC-68). */
  | { readonly kind: 'token'; readonly token: string }
  /** Tokens with rotation, expiry and scopes (SC-69). */
  | {
      readonly kind: 'tokens'
      readonly service: { readonly authenticate: (token: string) => Promise<ScimPrincipal | null> }
    }
  /** The host decides (SC-2). */
  | {
      readonly kind: 'host'
      readonly authenticate: (
        request: Request,
        context: ScimContext,
      ) => ScimPrincipal | null | Response | Promise<ScimPrincipal | null | Response>
    }
