/** A sign-in with its refresh tokens; its access tokens are valid as long as it exists. */
export interface RefreshFamilyRecord {
  readonly id: string
  readonly userId: string
  readonly createdAt: Date
  /** Absolute expiry, regardless of refreshes. */
  readonly expiresAt: Date
}

/** One use of a refresh token. */
export interface RefreshUse {
  readonly familyId: string
  readonly tokenId: string
  /** The id of the successor token, if this is the first use. */
  readonly successorId: string
  readonly at: Date
}

/** The result of a use: its own values if it is the first, otherwise those of the first use. */
export interface RefreshUseResult {
  readonly first: boolean
  readonly usedAt: Date
  readonly successorId: string
}

/** Refresh-token families. */
export interface RefreshFamilyStore {
  get(id: string): Promise<RefreshFamilyRecord | null>
  /**
   * Stores a family and its first token.
   * @throws UniqueConflictError `refreshFamily.id`
   */
  insert(record: RefreshFamilyRecord, tokenId: string): Promise<void>
  /**
   * Atomically marks a token as used and adds its successor: exactly one of two concurrent calls is the
   * first. Null if the family has no such token.
   */
  use(use: RefreshUse): Promise<RefreshUseResult | null>
  /** Removes a family with its tokens, if it exists. */
  remove(id: string): Promise<void>
  removeOfUser(userId: string): Promise<void>
  /**
   * Removes all other families of the user, and the refresh tokens of this one; the family itself is kept.
   */
  keepOnly(userId: string, id: string): Promise<void>
  /** Removes all families of the user except the `most` inserted last. */
  keepNewest(userId: string, most: number): Promise<void>
  /** Removes families that expired before this time. */
  trim(before: Date): Promise<void>
}

/** An OpenID Connect identity linked to a user. */
export interface OidcLinkRecord {
  readonly issuer: string
  /** Unique together with `issuer`. */
  readonly subject: string
  readonly userId: string
  readonly createdAt: Date
}

/** Links to OpenID Connect identities. */
export interface OidcLinkStore {
  find(issuer: string, subject: string): Promise<OidcLinkRecord | null>
  /** @throws UniqueConflictError `oidcLink.subject` */
  insert(record: OidcLinkRecord): Promise<void>
}
