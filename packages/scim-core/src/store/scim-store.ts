import type { ActivityStore } from './activity.ts'
import type { GroupStore } from './groups.ts'
import type { MemberStore } from './members.ts'
import type { OutboxStore } from './outbox.ts'
import type { ResourceStore } from './resources.ts'
import type { UserStore } from './users.ts'

/** Options of a transaction. */
export interface TransactionOptions {
  /** A hook will be awaited in it, so it must not delay the commits of others. */
  readonly awaitsHook?: boolean
  /** True if clients see versions, so that records without one cannot be written. */
  readonly needsVersion?: boolean
}

/**
 * The database of the service (section 18 of the specification). Values arrive complete: no method creates
 * ids, times or defaults. Absence is null or false. The only errors thrown are `UniqueConflictError` and
 * `StoreUnavailableError`, besides errors of hooks and `work`, `ScimReentryError`, and a `TypeError` if a
 * transaction's store is used after its end.
 */
export interface ScimStore {
  readonly users: UserStore
  readonly groups: GroupStore
  readonly members: MemberStore
  /**
   * Runs `work` with a store bound to a transaction; `work` must use only that store. Commits when
   * it resolves, rolls back and rethrows when it rejects.
   */
  transaction<T>(
    tenant: string,
    work: (tx: ScimStore) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>
  /** Committed changes for others; within a transaction its own. */
  readonly outbox?: OutboxStore
  /** Which directory named a user when; absent: that is not remembered. */
  readonly activity?: ActivityStore
  /** Resources of a host's own type; always the same object, except within a transaction. */
  resources?(type: string): ResourceStore
  /** False: the store forgets `deletedAt`, so that deleted users cannot be kept as tombstones. */
  readonly keepsDeleted?: boolean
  /** For a transaction: the id of a row to insert. Without it the service makes a UUID. */
  readonly newId?: (kind: 'user' | 'group') => Promise<string>
  /** For a transaction: the handle passed to store hooks. */
  readonly handle?: unknown
  /**
   * For a transaction of a store that collects its writes: writes them now, so that a hook's query on the
   * handle sees them.
   */
  writePending?(): Promise<void>
}
