/** One sign-in with its refresh tokens; its access tokens are good for as long as it is here. */
export interface RefreshFamilyRecord {
  readonly id: string
  readonly userId: string
  readonly createdAt: Date
  /** The absolute end, whatever is refreshed until then. */
  readonly expiresAt: Date
}

/** One use of a refresh token. */
export interface RefreshUse {
  readonly familyId: string
  readonly tokenId: string
  /** The id of the token that takes its place, if this is the first use. */
  readonly successorId: string
  readonly at: Date
}

/**
 * The result of a use: its own values for the first one, the first one's values for every later use.
 */
export interface RefreshUseResult {
  readonly first: boolean
  readonly usedAt: Date
  readonly successorId: string
}

/** Refresh-token families. */
export interface RefreshFamilyStore {
  get(id: string): Promise<RefreshFamilyRecord | null>
  /**
   * A family and its first token.
   * @throws UniqueConflictError `refreshFamily.id`
   */
  insert(record: RefreshFamilyRecord, tokenId: string): Promise<void>
  /**
   * Marks a token as used and adds its successor, in one step: of two concurrent calls exactly one
   * is the first. Null when the family has no such token.
   */
  use(use: RefreshUse): Promise<RefreshUseResult | null>
  /** Removes a family with its tokens; one that is not there is fine. */
  remove(id: string): Promise<void>
  removeOfUser(userId: string): Promise<void>
  /** Removes every other family of the user, and the refresh tokens of this one; it stays itself. */
  keepOnly(userId: string, id: string): Promise<void>
  /** Removes all families of the user but the `most` inserted last. */
  keepNewest(userId: string, most: number): Promise<void>
  /** Removes families that ended before that time. */
  trim(before: Date): Promise<void>
}

/** An identity of an OpenID Connect provider that opens a user. */
export interface OidcLinkRecord {
  readonly issuer: string
  /** Unique together with `issuer`. */
  readonly subject: string
  readonly userId: string
  readonly createdAt: Date
}

/** Links to identities of OpenID Connect providers. */
export interface OidcLinkStore {
  find(issuer: string, subject: string): Promise<OidcLinkRecord | null>
  /** @throws UniqueConflictError `oidcLink.subject` */
  insert(record: OidcLinkRecord): Promise<void>
}
