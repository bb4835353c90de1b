import type { OnSessionsEnd } from '../store/sessions-end.ts'
import type { OnGroupWrite } from '../store/groups.ts'
import type { OnUserWrite } from '../store/users.ts'

/** A user as stored by the host. Fields without a column may be omitted. */
export interface ScanUser {
  readonly id: string
  readonly userName: string
  readonly externalId?: string | null
  /** Default true. */
  readonly active?: boolean | null
  /** All other SCIM attributes as SCIM JSON; extensions under their URN. */
  readonly attributes?: Readonly<Record<string, unknown>>
  /** Default 1970-01-01. Without it filters and sorting by `meta.created` are refused. */
  readonly created?: Date
  /** Default `created`. Without it filters and sorting by `meta.lastModified` are refused. */
  readonly lastModified?: Date
  /** Default 1. */
  readonly version?: number
  /** If set: a tombstone, which SCIM ignores. */
  readonly deletedAt?: Date | null
}

/** A group as stored by the host. */
export interface ScanGroup {
  readonly id: string
  readonly displayName: string
  readonly externalId?: string | null
  /** True if the name is unique among groups. Default true. */
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

/** The host's data for a `ScanRequest`. Additional rows are ignored. */
export interface ScanData {
  readonly users: Iterable<ScanUser>
  readonly groups: Iterable<ScanGroup>
  readonly members: Iterable<ScanMember>
  /** With a page: the total number of users. */
  readonly totalUsers?: number
  readonly totalGroups?: number
}

/** A page in the order created, then id. */
export interface ScanPage {
  readonly page: { readonly offset: number; readonly limit: number }
}

/**
 * The rows to load. `userNameKey` and `displayNameKey` are folded, see `fold`, and so are `addressKeys`: the users
 * whose userName or one of whose e-mail addresses is one of them.
 */
export interface ScanRequest {
  readonly users:
    | 'all'
    | 'none'
    | { readonly ids: readonly string[] }
    | { readonly userNameKey: string }
    | { readonly externalId: string }
    | { readonly addressKeys: readonly string[] }
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

/** A changed row. */
export interface ScanUpdate<Row> {
  readonly before: Row
  readonly after: Row
}

/**
 * The changes of a transaction. With foreign keys, write in this order: members removed, groups removed,
 * users removed, users inserted, users updated, groups inserted, groups updated, members added.
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

/** The host functions a store is created from. */
export interface ScanStoreOptions<Tx> {
  /**
   * The id of a row to insert, such as the next value of the sequence of a `bigserial` column: 1 to 128 characters
   * without `/`, of no other row. Default: a UUID.
   */
  readonly newId?: (kind: 'user' | 'group', tenant: string, tx: Tx) => Promise<string>
  /**
   * Runs `work` in a transaction of the host's database: commits when it resolves, rolls back when it
   * rejects. Transactions of one tenant must wait for each other, for instance by a lock; otherwise changes
   * at the same time overwrite each other.
   */
  readonly transaction: <Result>(
    tenant: string,
    work: (tx: Tx) => Promise<Result>,
  ) => Promise<Result>
  /** Loads the rows of a tenant requested by `want`. Returning more is always correct. */
  readonly load: (tenant: string, tx: Tx, want: ScanRequest) => Promise<ScanData>
  /**
   * Writes the changes of a transaction; not called if there are none. With hooks it may be called several
   * times, before each hook with what is not written yet. If a unique index is violated, throw
   * `UniqueConflictError('user.userName')` or `'group.displayName'`.
   */
  readonly save: (tenant: string, changes: ScanChanges, tx: Tx) => Promise<void>
  /**
   * A number or string that changes with every change of a tenant's rows, read in the transaction. While it
   * is unchanged, the last full load is reused. With it, `load` is called for all rows.
   */
  readonly stamp?: (tenant: string, tx: Tx) => Promise<string | number>
  /**
   * True if `save` and `load` keep `deletedAt`, which `deleteUser: 'tombstone'` needs. Default false.
   */
  readonly keepsDeleted?: boolean
  /**
   * The e-mail addresses of users whose attributes have no `emails`: `userName` shows the userName as their
   * only address, of type work and primary, without saving it. Default: none.
   */
  readonly defaultEmail?: 'userName'
  /** Maximum number of user rows per load. Default 10,000. */
  readonly maxUsers?: number
  /** Called inside the transaction of every user write, after `save` has written it. */
  readonly onUserWrite?: OnUserWrite<Tx>
  /** Called inside the transaction of a write after which a person must not be signed in. */
  readonly onSessionsEnd?: OnSessionsEnd<Tx>
  /** Called inside the transaction of every write of a group or its members, after `save` has written it. */
  readonly onGroupWrite?: OnGroupWrite<Tx>
}
