/** A stored API key; the key itself is not kept. */
export interface ApiKeyRecord {
  readonly id: string
  readonly userId: string
  readonly name: string | null
  /** SHA-256 of the key, 64 hex digits, lower case. Unique. */
  readonly hash: string
  /** The first 8 characters of the key, for display. */
  readonly prefix: string
  readonly isActive: boolean
  readonly totalUses: number
  readonly lastUsedAt: Date | null
  readonly createdAt: Date
}

/** Uses of one key to be added to what is stored. */
export interface ApiKeyUse {
  readonly id: string
  readonly uses: number
  readonly lastUsedAt: Date
}

/** API keys. */
export interface ApiKeyStore {
  findByHash(hash: string): Promise<ApiKeyRecord | null>
  /** In order of insertion. */
  list(userId: string): Promise<ApiKeyRecord[]>
  /** @throws UniqueConflictError `apiKey.id`, `apiKey.hash` */
  insert(record: ApiKeyRecord): Promise<void>
  /** Adds to the counters; a key that is gone is passed over, `lastUsedAt` never goes back. */
  addUses(uses: readonly ApiKeyUse[]): Promise<void>
  /** False when the user has no such key. */
  remove(userId: string, id: string): Promise<boolean>
}
