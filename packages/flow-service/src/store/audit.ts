/** Recorded actions. */
export type AuditAction =
  | 'sign_in'
  | 'sign_out'
  | 'password.changed'
  | 'api_key.created'
  | 'api_key.first_used'
  | 'api_key.revoked'
  | 'user.created'
  | 'user.changed'
  | 'user.deactivated'
  | 'user.deleted'
  | 'scim_token.issued'
  | 'scim_token.rotated'
  | 'scim_token.revoked'
  | 'flow.sharing_changed'
  | 'mcp.settings_changed'
  | 'variable.written'
  | 'variable.deleted'
  | 'secrets.unreadable'

/** One action of a user or service, without any values. */
export interface AuditRecord {
  readonly id: string
  readonly at: Date
  readonly action: AuditAction
  readonly outcome: 'ok' | 'refused'
  /** A user or SCIM principal; null for an unknown caller. */
  readonly actorId: string | null
  /** How the actor was authenticated: a credential, `scim`, `oidc` or `system`. */
  readonly via: string | null
  /** Type of the target: `user`, `api_key`, `flow` and so on. */
  readonly targetType: string | null
  readonly targetId: string | null
  readonly requestId: string | null
  readonly clientAddress: string | null
  /** Names of what changed, never values. */
  readonly details: Readonly<Record<string, unknown>>
}

/** Selects audit records. */
export interface AuditQuery {
  readonly limit: number
  /** Id of a record: only those written before it. */
  readonly before?: string | undefined
  readonly action?: string | undefined
  readonly actorId?: string | undefined
  readonly targetId?: string | undefined
}

/** Audit records; ids are unique. */
export interface AuditStore {
  append(records: readonly AuditRecord[]): Promise<void>
  /** Newest first by insertion order; empty if `before` is unknown. */
  list(query: AuditQuery): Promise<AuditRecord[]>
  /** Removes older records. */
  trim(before: Date): Promise<void>
}
