import type { ConnectionProvider, ConnectionSettings } from './connection-settings.ts'

/** The rights of a principal. */
export type ScimScope =
  | 'users:read'
  | 'users:write'
  | 'groups:read'
  | 'groups:write'
  /** For one of the host's own resource types. */
  | `${string}:read`
  | `${string}:write`

/** The authenticated caller of a request. */
export interface ScimPrincipal {
  readonly id: string
  readonly tenant: string
  readonly scopes: readonly ScimScope[]
  readonly kind: 'token' | 'host'
  /** The connection the credential belongs to. */
  readonly connectionId?: string
  /** Override the options with the same names for this request. */
  readonly settings?: ConnectionSettings
  /** Provider of the connection, for metrics. */
  readonly provider?: ConnectionProvider
}

/** Why a known credential is refused; `unavailable`: it cannot be checked at the moment (503). */
export interface ScimAuthProblem {
  readonly problem: 'expired' | 'revoked' | 'invalid' | 'unavailable'
  /** The connection that the credential belonged to. */
  readonly connectionId?: string
}

/** The outcome of a request, reported to the code that authenticated it. */
export interface ScimAnswered {
  readonly status: number
  readonly scimType: string | null
  /** Detail of the error. */
  readonly detail: string | null
}

/** Facts about a request that only the host knows; all optional. */
export interface ScimContext {
  readonly tenant?: string
  /** With host authentication: the caller; `authenticate` is then not called. */
  readonly principal?: ScimPrincipal
  /** For audit entries, events and `x-request-id`. Default: that header, else a random id. */
  readonly requestId?: string
  /** For `allowedAddresses`. */
  readonly clientAddress?: string
}

/** All scopes. This array object itself also grants the scopes of a host's own types. */
export const ALL_SCOPES: readonly ScimScope[] = [
  'users:read',
  'users:write',
  'groups:read',
  'groups:write',
]
