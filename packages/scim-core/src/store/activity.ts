/** The last write of a directory to a user that was refused. */
export interface RefusedWrite {
  readonly at: Date
  readonly status: number
  readonly scimType: string | null
  /** At most 200 characters. */
  readonly detail: string
}

/** What directories have asked and written of a user. */
export interface UserActivity {
  /** The last request that named the user, precise to the hour. */
  readonly lastSeenAt: Date | null
  /** The last write that was accepted, precise to the hour. */
  readonly lastWrittenAt: Date | null
  /** Where that write came from: `connection:` or `token:` with its id. */
  readonly source: string | null
  /** null: the last write was accepted. */
  readonly refusal: RefusedWrite | null
  /** The first refusal in a row. */
  readonly refusedSince: Date | null
  /** The first comparison whose list missed the user. */
  readonly missedSince: Date | null
}

/** One request that named a user. */
export interface ActivityNote {
  readonly userId: string
  readonly at: Date
  /** A lookup; an accepted write with its source; or a refused write. */
  readonly kind: 'seen' | 'written' | 'refused'
  readonly source: string | null
  readonly refusal: RefusedWrite | null
}

/** A user of a tenant with its activity; without its document. */
export interface ActiveUser {
  readonly id: string
  readonly userName: string
  readonly externalId: string | null
  readonly active: boolean
  readonly created: Date
  /** null: no directory has named the user. */
  readonly activity: UserActivity | null
}

/** A part of a store: which directory named a user when. */
export interface ActivityStore {
  /**
   * Keeps notes of distinct users. What would only make a time less than an hour newer is not written. `written`
   * ends a series of refusals, and `refused` begins or continues one.
   */
  record(tenant: string, notes: readonly ActivityNote[]): Promise<void>
  /** The activity of ids, users or not. */
  get(tenant: string, ids: readonly string[]): Promise<Map<string, UserActivity>>
  /** The distinct sources of a tenant's last writes. */
  sources(tenant: string): Promise<string[]>
  /**
   * The users of a tenant that are not deleted, by id. `except`: sources whose users are left out, unless a directory
   * has never named them, a list has missed them, or their last write was refused.
   */
  users(
    tenant: string,
    page: {
      readonly after?: string
      readonly limit: number
      readonly except?: readonly string[]
    },
  ): Promise<ActiveUser[]>
  /** Remembers which users a list has missed, the first time, and that it has not missed others. */
  missed(
    tenant: string,
    change: {
      readonly at: Date
      readonly missed: readonly string[]
      readonly found: readonly string[]
    },
  ): Promise<void>
}

/** Times are kept to the hour. */
export const ACTIVITY_MS = 3_600_000

/** In place of the id of a user that was refused because of an account of its folded userName. */
export function refusedCreateOf(userNameKey: string): string {
  return `create ${userNameKey}`
}
