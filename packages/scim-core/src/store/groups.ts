import type { ListedRecords, ListQuery } from './list-query.ts'
import type { BriefOptions, GetOptions } from './read-options.ts'

/** A group as stored, without its members. `data` as for users. */
export interface GroupRecord {
  readonly tenant: string
  readonly id: string
  readonly externalId: string | null
  /** As sent. */
  readonly displayName: string
  /** `fold(displayName)`. */
  readonly displayNameKey: string
  /** The key again if names are unique per tenant, else null; unique if not null. */
  readonly uniqueKey: string | null
  readonly data: string
  readonly created: Date
  readonly lastModified: Date
  readonly version: number
}

/** The part of a group shown by references. */
export interface GroupBrief {
  readonly id: string
  readonly displayName: string
}

/** The groups of a store; the same rules apply as for `UserStore`. */
export interface GroupStore {
  get(tenant: string, id: string, options?: GetOptions): Promise<GroupRecord | null>
  /** @throws UniqueConflictError `group.displayName` */
  insert(tenant: string, record: GroupRecord): Promise<void>
  /** @throws UniqueConflictError `group.displayName` */
  update(tenant: string, record: GroupRecord, expectedVersion: number): Promise<boolean>
  /** Deletes the record; memberships are removed with `members.clear`. */
  remove(tenant: string, id: string): Promise<boolean>
  briefs(
    tenant: string,
    ids: readonly string[],
    options?: BriefOptions,
  ): Promise<Map<string, GroupBrief>>
  list(tenant: string, query: ListQuery): Promise<ListedRecords<GroupRecord>>
}

/** A change of a group, for hosts with their own related records. */
export type GroupWrite =
  | { readonly kind: 'create'; readonly before: null; readonly after: GroupRecord }
  /** displayName, externalId or data differ. */
  | { readonly kind: 'update'; readonly before: GroupRecord; readonly after: GroupRecord }
  | { readonly kind: 'remove'; readonly before: GroupRecord; readonly after: null }
  /** At most 1,000 ids; `displayName` is the name before a rename in the same transaction. */
  | {
      readonly kind: 'members'
      readonly tenant: string
      readonly groupId: string
      readonly displayName: string
      readonly added: readonly string[]
      readonly removed: readonly string[]
    }

/**
 * Called inside the transaction of every write of a group or its members; throwing rolls it back.
 * `transaction` is the store's own handle of the transaction.
 */
export type OnGroupWrite<Transaction> = (
  change: GroupWrite,
  transaction: Transaction,
) => void | Promise<void>
