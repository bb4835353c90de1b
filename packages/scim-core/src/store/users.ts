import type { GroupBrief } from './groups.ts'
import type { ListedRecords, ListQuery } from './list-query.ts'
import type { BriefOptions, GetOptions } from './read-options.ts'

/**
 * A user as it is stored. `data` is the canonical JSON text of every attribute that has no field of
 * its own here; extension attributes stand in an object under their URN. `id`, `schemas`, `meta`,
 * `groups` and `password` are never in it. Stores keep the text as it is.
 */
export interface UserRecord {
  readonly tenant: string
  readonly id: string
  readonly externalId: string | null
  /** As sent. */
  readonly userName: string
  /** `fold(userName)`, unique per tenant among the records whose `deletedAt` is null. */
  readonly userNameKey: string
  /** null: unassigned, which counts as deactivated. */
  readonly active: boolean | null
  readonly data: string
  readonly created: Date
  readonly lastModified: Date
  /** 1 for a new record, raised by one with each effective change. */
  readonly version: number
  /** Set: a tombstone, which no method but `remove` and the host ever sees again. */
  readonly deletedAt: Date | null
  /** The groups of the user, by id. Only in records read `withGroups`, never in writes. */
  readonly groups?: readonly GroupBrief[]
}

/** The part of a user that a reference shows. */
export interface UserBrief {
  readonly id: string
  /** `userDisplay` of the user's attributes; null when it has none of them (SC-21). */
  readonly display: string | null
}

/** The users of a store. Records are plain data; those returned are copies or frozen. */
export interface UserStore {
  /** Null if there is none, or a tombstone. */
  get(tenant: string, id: string, options?: GetOptions): Promise<UserRecord | null>
  /** @throws UniqueConflictError `user.userName` */
  insert(tenant: string, record: UserRecord): Promise<void>
  /**
   * Writes all fields when the stored version is `expectedVersion`; false: it was changed meanwhile,
   * or is gone. A record with `deletedAt` becomes a tombstone and frees its userName.
   * @throws UniqueConflictError `user.userName`
   */
  update(tenant: string, record: UserRecord, expectedVersion: number): Promise<boolean>
  /** Deletes the record; memberships are removed with `members.removeUser`. False: there was none. */
  remove(tenant: string, id: string): Promise<boolean>
  /** Those of `ids` that exist, by id. */
  briefs(
    tenant: string,
    ids: readonly string[],
    options?: BriefOptions,
  ): Promise<Map<string, UserBrief>>
  list(tenant: string, query: ListQuery): Promise<ListedRecords<UserRecord>>
  /**
   * Optional, called inside the transaction before `insert`: the id of an account of the host that
   * the new user takes over; null: the record keeps its own id.
   */
  adopt?(tenant: string, record: UserRecord): Promise<string | null>
}

/** A change of a user, for a host that keeps records beside it. */
export interface UserWrite {
  readonly kind: 'create' | 'update' | 'deactivate' | 'reactivate' | 'tombstone' | 'remove'
  readonly before: UserRecord | null
  readonly after: UserRecord | null
}

/**
 * Called inside the transaction of every write of a user; what it throws rolls the write back.
 * `transaction` is the store's own handle of the running transaction.
 */
export type OnUserWrite<Transaction> = (
  change: UserWrite,
  transaction: Transaction,
) => void | Promise<void>

/** The change from one state of a user to the next, for stores that offer `onUserWrite`. */
export function userWrite(before: UserRecord | null, after: UserRecord | null): UserWrite {
  return { kind: kindOf(before, after), before, after }
}

function kindOf(before: UserRecord | null, after: UserRecord | null): UserWrite['kind'] {
  if (after === null) return 'remove'
  if (after.deletedAt !== null) return 'tombstone'
  if (before === null) return 'create'
  const was = before.active === true
  const is = after.active === true
  if (was === is) return 'update'
  return is ? 'reactivate' : 'deactivate'
}
