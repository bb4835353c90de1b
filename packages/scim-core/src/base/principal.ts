import type { ConnectionSettings } from './connection-settings.ts'

/** The rights of a principal (SC-70). */
export type ScimScope =
  | 'users:read'
  | 'users:write'
  | 'groups:read'
  | 'groups:write'
  /** Of a type of the host's own (SH-38). */
  | `${string}:read`
  | `${string}:write`

/** Who makes a request. */
export interface ScimPrincipal {
  readonly id: string
  readonly tenant: string
  readonly scopes: readonly ScimScope[]
  readonly kind: 'token' | 'host'
  /** The connection that the credential belongs to. */
  readonly connectionId?: string
  /** Replace the options of the same names for this request (SH-53). */
  readonly settings?: ConnectionSettings
}

/** Why a credential that is known is refused; `unavailable`: it cannot be checked at the moment (503). */
export interface ScimAuthProblem {
  readonly problem: 'expired' | 'revoked' | 'invalid' | 'unavailable'
}

/** How a request was answered, for whoever has authenticated it. */
export interface ScimAnswered {
  readonly status: number
  readonly scimType: string | null
  /** Of an error. */
  readonly detail: string | null
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

/** All scopes; this list itself stands for those of a host's own types too. */
export const ALL_SCOPES: readonly ScimScope[] = [
  'users:read',
  'users:write',
  'groups:read',
  'groups:write',
]
