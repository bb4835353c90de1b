export { type ClientMethod } from './oauth/client-check.ts'
export {
  createIntrospectionAuth,
  type IntrospectionAuthOptions,
  type IntrospectionClaims,
} from './oauth/introspection-auth.ts'
export { createJwtAuth, type JwtAuthOptions, type JwtClaims } from './oauth/jwt-auth.ts'
export { type OAuthFetch } from './oauth/key-source.ts'
export {
  createTokenEndpoint,
  type TokenEndpoint,
  type TokenEndpointOptions,
} from './oauth/token-endpoint.ts'
export { type ClientFederation } from './base/client-federation.ts'
export { type ClientSecret, type ClientStore, type OAuthClient } from './store/clients.ts'
