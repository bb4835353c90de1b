import type { GroupStore } from './groups.ts'
import type { MemberStore } from './members.ts'
import type { OutboxStore } from './outbox.ts'
import type { ResourceStore } from './resources.ts'
import type { UserStore } from './users.ts'

/** Options of a transaction. */
export interface TransactionOptions {
  /** A hook will be awaited in it: it must not keep the commits of others waiting (SH-16). */
  readonly awaitsHook?: boolean
  /** Whether clients see versions, so that a record without one cannot be written (SH-5). */
  readonly needsVersion?: boolean
}

/**
 * The database of the service (section 18 of the specification). Values come finished: no method
 * makes an id, a time or a default. Absence is null or false; the only errors thrown are
 * `UniqueConflictError` and `StoreUnavailableError`, besides errors of hooks and `work`,
 * `ScimReentryError`, and a `TypeError` for the store of a transaction that has ended.
 */
export interface ScimStore {
  readonly users: UserStore
  readonly groups: GroupStore
  readonly members: MemberStore
  /**
   * Runs `work` with a store bound to one transaction, the only one it may use (SC-86). Commits when
   * `work` resolves, rolls back and rethrows when it rejects.
   */
  transaction<T>(
    tenant: string,
    work: (tx: ScimStore) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>
  /** Committed changes for others (SH-18); within a transaction its own. */
  readonly outbox?: OutboxStore
  /** Resources of a host's own type; the same object each time, but within a transaction. */
  resources?(type: string): ResourceStore
  /** For a transaction: the handle that store hooks get beside the change. */
  readonly handle?: unknown
}
