import type { Page, Slice } from './paging.ts'

/** A stored user. */
export interface UserRecord {
  readonly id: string
  /** Unique, compared exactly. */
  readonly username: string
  /** Self-describing hash, or null: password sign-in is not possible. */
  readonly passwordHash: string | null
  readonly profileImage: string | null
  /** Sealed, see SecretBox. */
  readonly storeApiKey: string | null
  readonly isActive: boolean
  readonly isSuperuser: boolean
  /** Access tokens carry it; a higher one ends those without a sign-in of their own. From 0. */
  readonly tokenEpoch: number
  readonly optins: Readonly<Record<string, unknown>> | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly lastLoginAt: Date | null
}

/** Fields to change; absent means unchanged. */
export type UserPatch = Partial<Omit<UserRecord, 'id' | 'createdAt'>>

/** One user write, as the hook of a store sees it (`before` null on create, `after` null on remove). */
export interface UserChange {
  readonly kind: 'create' | 'update' | 'deactivate' | 'reactivate' | 'remove'
  readonly before: UserRecord | null
  readonly after: UserRecord | null
  /** For `remove`: the flows removed with the user, whose files are removed too. */
  readonly flowIds?: readonly string[]
}

/**
 * Called inside the transaction of every user write; a throw undoes the write.
 * `Transaction` is what the store gives for joining it (a database handle, or a bound store).
 */
export type OnUserWrite<Transaction> = (
  change: UserChange,
  transaction: Transaction,
) => void | Promise<void>

/** Users. Every write goes through the store's `onUserWrite`, inside its transaction. */
export interface UserStore {
  get(id: string): Promise<UserRecord | null>
  findByUsername(username: string): Promise<UserRecord | null>
  /** The superuser that was inserted first, active or not. */
  findSuperuser(): Promise<UserRecord | null>
  /** In order of creation: `createdAt`, then `id`. */
  list(slice: Slice): Promise<Page<UserRecord>>
  /** Superusers that are active. Inside a transaction it keeps others from changing that number. */
  countActiveSuperusers(): Promise<number>
  /** @throws UniqueConflictError `user.id`, `user.username` */
  insert(record: UserRecord): Promise<void>
  /**
   * The changed record; null when there is none.
   * @throws UniqueConflictError `user.username`
   */
  update(id: string, patch: UserPatch): Promise<UserRecord | null>
  /**
   * Removes the user with everything that belongs to it: API keys, variables, projects, flows (and
   * their messages, transactions, vertex builds), file records, shared components (their likes and
   * tag links), likes, MCP servers, refresh families and sign-in links. False when there is none.
   */
  remove(id: string): Promise<boolean>
}
