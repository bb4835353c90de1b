import type { GroupBrief } from './groups.ts'
import type { ListedRecords, ListQuery } from './list-query.ts'
import type { BriefOptions, GetOptions } from './read-options.ts'

/**
 * A stored user. `data` is the canonical JSON of every attribute without a field of its own here; extension
 * attributes are in an object under their URN. It never contains `id`, `schemas`, `meta`, `groups` or
 * `password`. Stores keep the text unchanged.
 */
export interface UserRecord {
  readonly tenant: string
  readonly id: string
  readonly externalId: string | null
  /** As sent. */
  readonly userName: string
  /** `fold(userName)`, unique per tenant among the records whose `deletedAt` is null. */
  readonly userNameKey: string
  /** null: unassigned, which counts as inactive. */
  readonly active: boolean | null
  readonly data: string
  readonly created: Date
  readonly lastModified: Date
  /** 1 for a new record, incremented with each effective change. */
  readonly version: number
  /** If set: a tombstone, visible only to `remove` and the host. */
  readonly deletedAt: Date | null
  /** The groups of the user, by id. Only in records read `withGroups`, never in writes. */
  readonly groups?: readonly GroupBrief[]
}

/** The part of a user shown by references. */
export interface UserSummary {
  readonly id: string
  /** `userDisplay` of the user's attributes; null if there is none. */
  readonly display: string | null
}

/** What a store passes on to its hook with an update. */
export interface UserUpdateOptions {
  /** The user was created anew by the directory and took over the record. */
  readonly recreated?: boolean
}

/** The users of a store. Records are plain data; those returned are copies or frozen. */
export interface UserStore {
  /** Null if it does not exist or is a tombstone. */
  get(tenant: string, id: string, options?: GetOptions): Promise<UserRecord | null>
  /** @throws UniqueConflictError `user.userName` */
  insert(tenant: string, record: UserRecord): Promise<void>
  /**
   * Writes all fields if the stored version is `expectedVersion`; false if it was changed or removed
   * meanwhile. A record with `deletedAt` becomes a tombstone and releases its userName.
   * @throws UniqueConflictError `user.userName`
   */
  update(
    tenant: string,
    record: UserRecord,
    expectedVersion: number,
    options?: UserUpdateOptions,
  ): Promise<boolean>
  /** Deletes the record; memberships are removed with `members.removeUser`. False if it did not exist. */
  remove(tenant: string, id: string): Promise<boolean>
  /** Those of `ids` that exist, by id. */
  briefs(
    tenant: string,
    ids: readonly string[],
    options?: BriefOptions,
  ): Promise<Map<string, UserSummary>>
  list(tenant: string, query: ListQuery): Promise<ListedRecords<UserRecord>>
  /** Optional: whether a tombstone has this id or externalId. */
  wasDeleted?(
    tenant: string,
    named: { readonly by: 'id' | 'externalId'; readonly value: string },
  ): Promise<boolean>
  /**
   * Optional, for stores with transactions at the same time: waits until no other transaction claims one of
   * these folded addresses, which are sorted.
   */
  lockAddresses?(tenant: string, keys: readonly string[]): Promise<void>
  /**
   * Optional, called inside the transaction before `insert`: returns the host account that the new user
   * takes over, by its id and what they have in common, or why there must be none; null: the record keeps its
   * own id.
   */
  adopt?(tenant: string, record: UserRecord): Promise<Adoption>
}

/** The answer of `adopt`; a string is the id of an account with the same userName. */
export type Adoption =
  | string
  | null
  | { readonly id: string; readonly by: AdoptedBy }
  | {
      readonly refuse: AdoptionRefusal
      /** A sentence that follows the reason, such as what the administrator can do. Default: none. */
      readonly hint?: string
    }

/** What an account and a new user have in common; `manual`: an administrator said so. */
export type AdoptedBy = 'userName' | 'externalId' | 'email' | 'manual'

export type AdoptionRefusal = 'ambiguous' | 'privileged' | 'unverified' | 'unmanaged'

/** A change of a user, for hosts with their own related records. */
export interface UserWrite {
  readonly kind: 'create' | 'update' | 'deactivate' | 'reactivate' | 'tombstone' | 'remove'
  readonly before: UserRecord | null
  readonly after: UserRecord | null
  /**
   * True if the directory created a user who was not active anew: what opened the account before, such as a
   * password, must open it no longer.
   */
  readonly recreated?: boolean
}

/**
 * Called inside the transaction of every user write; throwing rolls it back. `transaction` is the store's
 * own handle of the transaction.
 */
export type OnUserWrite<Transaction> = (
  change: UserWrite,
  transaction: Transaction,
) => void | Promise<void>

/** The change between two states of a user, for stores that offer `onUserWrite`. */
export function userWrite(
  before: UserRecord | null,
  after: UserRecord | null,
  { recreated = false }: UserUpdateOptions = {},
): UserWrite {
  const kind = kindOf(before, after)
  return recreated ? { kind, before, after, recreated } : { kind, before, after }
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
