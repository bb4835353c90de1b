import type { Page, Slice } from '@x/flow-engine/store'

/** A stored user. */
export interface UserRecord {
  readonly id: string
  /** Unique, compared exactly. */
  readonly username: string
  /** Self-describing hash; null disables password sign-in. */
  readonly passwordHash: string | null
  readonly profileImage: string | null
  /** Encrypted, see SecretBox. */
  readonly storeApiKey: string | null
  readonly isActive: boolean
  readonly isSuperuser: boolean
  /** Contained in access tokens; incrementing it invalidates those without a sign-in. Starts at 0. */
  readonly tokenEpoch: number
  readonly optins: Readonly<Record<string, unknown>> | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly lastLoginAt: Date | null
}

/** Fields to change; absent means unchanged. */
export type UserPatch = Partial<Omit<UserRecord, 'id' | 'createdAt'>>

/** One user write, as passed to a store's hook (`before` is null on create, `after` null on remove). */
export interface UserChange {
  readonly kind: 'create' | 'update' | 'deactivate' | 'reactivate' | 'remove'
  readonly before: UserRecord | null
  readonly after: UserRecord | null
  /** On removal: the flows removed with the user, whose files are removed too. */
  readonly flowIds?: readonly string[]
}

/**
 * Called inside the transaction of every user write; throwing rolls it back. `Transaction` is what the store
 * provides for joining it (a database handle, or a bound store).
 */
export type OnUserWrite<Transaction> = (
  change: UserChange,
  transaction: Transaction,
) => void | Promise<void>

/** The fields of a user that a directory may share. */
export interface SharedUserChanges {
  readonly username?: string | undefined
  readonly isActive?: boolean | undefined
}

/** Users. Every write calls the store's `onUserWrite` inside its transaction. */
export interface UserStore {
  get(id: string): Promise<UserRecord | null>
  findByUsername(username: string): Promise<UserRecord | null>
  /** The superuser inserted first, active or not. */
  findSuperuser(): Promise<UserRecord | null>
  /** Ordered by `createdAt`, then `id`. */
  list(slice: Slice): Promise<Page<UserRecord>>
  /**
   * Called first in a transaction that changes or removes a user: takes the locks that come before those of
   * the other methods. Stores that have none leave it out.
   * @param changes null if the user is removed
   */
  lock?(id: string, changes: SharedUserChanges | null): Promise<void>
  /** Number of active superusers. Within a transaction it locks that number against concurrent changes. */
  countActiveSuperusers(): Promise<number>
  /** @throws UniqueConflictError `user.id`, `user.username` */
  insert(record: UserRecord): Promise<void>
  /**
   * The changed record; null if it does not exist.
   * @throws UniqueConflictError `user.username`
   */
  update(id: string, patch: UserPatch): Promise<UserRecord | null>
  /**
   * Removes the user with all their data: API keys, variables, projects, flows (with messages, transactions,
   * vertex builds), file records, shared components (with their likes and tag links), likes, MCP servers,
   * refresh families and sign-in links. False if it does not exist; data of that id are removed all the same.
   */
  remove(id: string): Promise<boolean>
}
