/** A stored API key, without the key itself. */
export interface ApiKeyRecord {
  readonly id: string
  readonly userId: string
  readonly name: string | null
  /** SHA-256 of the key, 64 lower-case hex digits. Unique. */
  readonly hash: string
  /** The first 8 characters of the key, for display. */
  readonly prefix: string
  readonly isActive: boolean
  /** The agent of the directory that the key ends with; null: none. */
  readonly agentId: string | null
  readonly totalUses: number
  readonly lastUsedAt: Date | null
  readonly createdAt: Date
}

/** Uses of a key to add to the stored counters. */
export interface ApiKeyUse {
  readonly id: string
  readonly uses: number
  readonly lastUsedAt: Date
}

/** API keys. */
export interface ApiKeyStore {
  findByHash(hash: string): Promise<ApiKeyRecord | null>
  /** In insertion order. */
  list(userId: string): Promise<ApiKeyRecord[]>
  /**
   * The rows of `list` in parts of a bounded size, each read on demand. Without this method,
   * `list` is used.
   */
  parts?(userId: string): AsyncIterable<readonly ApiKeyRecord[]>
  /** @throws UniqueConflictError `apiKey.id`, `apiKey.hash` */
  insert(record: ApiKeyRecord): Promise<void>
  /** Adds to the counters; removed keys are ignored, `lastUsedAt` never decreases. */
  addUses(uses: readonly ApiKeyUse[]): Promise<void>
  /** False if the user has no such key. */
  remove(userId: string, id: string): Promise<boolean>
}
