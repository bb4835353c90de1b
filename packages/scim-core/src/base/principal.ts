/** The rights of a principal (SC-70). */
export type ScimScope = 'users:read' | 'users:write' | 'groups:read' | 'groups:write'

/** Who makes a request. */
export interface ScimPrincipal {
  readonly id: string
  readonly tenant: string
  readonly scopes: readonly ScimScope[]
  readonly kind: 'token' | 'host'
}

/** What a host knows about a request; all optional. */
export interface ScimContext {
  readonly tenant?: string
  /** With host authentication: who makes the request; `authenticate` is not called then. */
  readonly principal?: ScimPrincipal
  /** For audit entries and events; a random one by default. */
  readonly requestId?: string
  /** For `allowedAddresses`. */
  readonly clientAddress?: string
}

/** All scopes. */
export const ALL_SCOPES: readonly ScimScope[] = [
  'users:read',
  'users:write',
  'groups:read',
  'groups:write',
]
