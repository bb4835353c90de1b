/** A tool server configured by a user. */
export interface McpServerRecord {
  readonly userId: string
  /** Unique per user, compared exactly. */
  readonly name: string
  /** The whole entry as JSON text, encrypted because it may contain secrets. */
  readonly config: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Tool servers of users. */
export interface McpServerStore {
  get(userId: string, name: string): Promise<McpServerRecord | null>
  /** In insertion order. */
  list(userId: string): Promise<McpServerRecord[]>
  /** @throws UniqueConflictError `mcpServer.name` */
  insert(record: McpServerRecord): Promise<void>
  /** False if the user has no such server. */
  update(
    userId: string,
    name: string,
    patch: Pick<McpServerRecord, 'config' | 'updatedAt'>,
  ): Promise<boolean>
  /** False if the user has no such server. */
  remove(userId: string, name: string): Promise<boolean>
}
