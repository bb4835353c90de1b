/** A tool server that a user has configured. */
export interface McpServerRecord {
  readonly userId: string
  /** Unique for its user, compared exactly. */
  readonly name: string
  /** The whole entry as JSON text, sealed: it may hold secrets. */
  readonly config: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Tool servers of users. */
export interface McpServerStore {
  get(userId: string, name: string): Promise<McpServerRecord | null>
  /** In order of insertion. */
  list(userId: string): Promise<McpServerRecord[]>
  /** @throws UniqueConflictError `mcpServer.name` */
  insert(record: McpServerRecord): Promise<void>
  /** False when the user has none of this name. */
  update(
    userId: string,
    name: string,
    patch: Pick<McpServerRecord, 'config' | 'updatedAt'>,
  ): Promise<boolean>
  /** False when the user has none of this name. */
  remove(userId: string, name: string): Promise<boolean>
}
