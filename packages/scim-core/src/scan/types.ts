import type { OnGroupWrite } from '../store/groups.ts'
import type { OnUserWrite } from '../store/users.ts'

/** A user as the host stores it. Fields without a column may be left out (SH-5). */
export interface ScanUser {
  readonly id: string
  readonly userName: string
  readonly externalId?: string | null
  /** Default true. */
  readonly active?: boolean | null
  /** Every other SCIM attribute as SCIM JSON; extensions under their URN. */
  readonly attributes?: Readonly<Record<string, unknown>>
  /** Default 1970-01-01. */
  readonly created?: Date
  /** Default `created`. */
  readonly lastModified?: Date
  /** Default 1. */
  readonly version?: number
  /** Set: a tombstone, which SCIM does not see. */
  readonly deletedAt?: Date | null
}

/** A group, likewise. */
export interface ScanGroup {
  readonly id: string
  readonly displayName: string
  readonly externalId?: string | null
  /** No other group has the name. Default true. */
  readonly uniqueName?: boolean
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly created?: Date
  readonly lastModified?: Date
  readonly version?: number
}

export interface ScanMember {
  readonly groupId: string
  readonly memberId: string
  /** Default 1970-01-01. */
  readonly addedAt?: Date
}

/** The host's data for a `ScanWant`. Further rows do no harm. */
export interface ScanData {
  readonly users: Iterable<ScanUser>
  readonly groups: Iterable<ScanGroup>
  readonly members: Iterable<ScanMember>
  /** Given with a page: how many users there are in all. */
  readonly totalUsers?: number
  readonly totalGroups?: number
}

/** A page in the order created, then id. */
export interface ScanPage {
  readonly page: { readonly offset: number; readonly limit: number }
}

/** The rows to load. `userNameKey` and `displayNameKey` are folded: see `fold`. */
export interface ScanWant {
  readonly users:
    | 'all'
    | 'none'
    | { readonly ids: readonly string[] }
    | { readonly userNameKey: string }
    | { readonly externalId: string }
    | ScanPage
  readonly groups:
    | 'all'
    | 'none'
    | { readonly ids: readonly string[] }
    | { readonly displayNameKey: string }
    | { readonly externalId: string }
    | ScanPage
  readonly members:
    | 'all'
    | 'none'
    | { readonly groupIds: readonly string[] }
    | { readonly memberIds: readonly string[] }
}

/** A row that differs from the loaded one. */
export interface ScanUpdate<Row> {
  readonly before: Row
  readonly after: Row
}

/**
 * The changes of one transaction. With foreign keys, write in this order: members removed, groups
 * removed, users removed, users inserted, users updated, groups inserted, groups updated, members
 * added.
 */
export interface ScanChanges {
  readonly users: {
    readonly inserted: readonly ScanUser[]
    readonly updated: readonly ScanUpdate<ScanUser>[]
    readonly removed: readonly ScanUser[]
  }
  readonly groups: {
    readonly inserted: readonly ScanGroup[]
    readonly updated: readonly ScanUpdate<ScanGroup>[]
    readonly removed: readonly ScanGroup[]
  }
  readonly members: {
    readonly added: readonly ScanMember[]
    readonly removed: readonly ScanMember[]
  }
}

/** The functions of a host that a store is made of (SH-3). */
export interface ScanStoreOptions<Tx> {
  /** One transaction of the host's database: commits when `work` resolves, rolls back when it rejects. */
  readonly transaction: <Result>(
    tenant: string,
    work: (tx: Tx) => Promise<Result>,
  ) => Promise<Result>
  /** Loads the rows of a tenant that `want` asks for. Returning more is always correct. */
  readonly load: (tenant: string, tx: Tx, want: ScanWant) => Promise<ScanData>
  /**
   * Writes what one transaction changed; not called when nothing did. For a unique index that refuses, throw
   * `UniqueConflictError('user.userName')` or `'group.displayName'`.
   */
  readonly save: (tenant: string, changes: ScanChanges, tx: Tx) => Promise<void>
  /**
   * Returns whether the rows of a tenant are those of the last full load, which is then used again: a number or
   * text that changes with every change of them, read in the transaction. With it, `load` is asked for
   * everything.
   */
  readonly stamp?: (tenant: string, tx: Tx) => Promise<string | number>
  /** Rows of users that one load may give; 10,000 by default. */
  readonly maxUsers?: number
  /** Called inside the transaction of each write of a user, before `save`. */
  readonly onUserWrite?: OnUserWrite<Tx>
  /** Called inside the transaction of each write of a group or its members, before `save`. */
  readonly onGroupWrite?: OnGroupWrite<Tx>
}
