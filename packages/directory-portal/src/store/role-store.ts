import type { ScimStore } from '@x/scim-core'

type Awaitable<T> = T | Promise<T>

/** The members of a group have a role. */
export interface RoleRule {
  readonly groupId: string
  readonly role: string
}

/** The rules of a tenant. */
export interface RoleSettings {
  readonly rules: readonly RoleRule[]
  /** The role of active people whom no rule gives one. */
  readonly default: string | null
  /** How far changed rules are applied, as JSON; null: they are. */
  readonly applying: object | null
}

/** Roles within a transaction that the directory shares. */
export interface RoleTransaction {
  /** Of the SCIM store. */
  readonly handle: unknown
  /** The directory as the transaction sees it. */
  readonly directory: ScimStore
  /**
   * null if there are none yet. They do not change until the transaction ends; `update`: others wait to change
   * them too, `replace`: others wait to read them within a write of the directory.
   */
  settings(tenant: string, use: 'read' | 'update' | 'replace'): Promise<RoleSettings | null>
  save(tenant: string, settings: RoleSettings): Promise<void>
  /** Of each of them, whether they are active, and the roles that were told last; held until the end. */
  people(
    tenant: string,
    userIds: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly isActive: boolean; readonly told: readonly string[] }>>
  /** Remembers roles that were told, by user. */
  tell(tenant: string, told: ReadonlyMap<string, readonly string[]>): Promise<void>
}

/** The roles of a portal store, which has the database of the directory. */
export interface RoleStore {
  /** Runs in the transaction of a hook of the SCIM store, or, if `handle` is undefined, in a new one. */
  within<Result>(handle: unknown, work: (part: RoleTransaction) => Promise<Result>): Promise<Result>
  /** The roles that were told last, by user; those without roles may be absent. */
  told(
    tenant: string,
    userIds: readonly string[],
    handle?: unknown,
  ): Awaitable<ReadonlyMap<string, readonly string[]>>
  /** Tenants whose rules are not applied yet. */
  applying(limit: number): Awaitable<readonly string[]>
}
