import type { ScimScope } from '../base/principal.ts'

/** A stored bearer token, without the token itself. */
export interface TokenRecord {
  readonly id: string
  readonly tenant: string
  /** SHA-256 of the token, 64 lower-case hexadecimal digits; unique. */
  readonly digest: string
  readonly scopes: readonly ScimScope[]
  readonly label: string | null
  readonly created: Date
  readonly notBefore: Date | null
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  /** Precise to the minute. */
  readonly lastUsedAt: Date | null
  /** The connection it belongs to; null or absent: none. */
  readonly connectionId?: string | null
}

/** The changeable fields of a stored token. */
export type TokenPatch = Partial<Pick<TokenRecord, 'expiresAt' | 'revokedAt' | 'lastUsedAt'>>

/** Tokens of all tenants. */
export interface TokenStore {
  insert(record: TokenRecord): Promise<void>
  get(id: string): Promise<TokenRecord | null>
  byDigest(digest: string): Promise<TokenRecord | null>
  /** False if it does not exist. */
  update(id: string, patch: TokenPatch): Promise<boolean>
  /** By created, then id. */
  list(tenant: string): Promise<TokenRecord[]>
}
