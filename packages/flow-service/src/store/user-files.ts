/** The record of a user's file; its bytes are in the blob store. */
export interface UserFileRecord {
  readonly id: string
  readonly userId: string
  /** Display name without extension. Unique per user. */
  readonly name: string
  /** `<user id>/<stored name>`. Unique. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  readonly provider: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Fields to change; absent means unchanged. */
export type UserFilePatch = Partial<Pick<UserFileRecord, 'name' | 'size' | 'updatedAt'>>

/** Files of users. */
export interface UserFileStore {
  get(userId: string, id: string): Promise<UserFileRecord | null>
  findByName(userId: string, name: string): Promise<UserFileRecord | null>
  /** Finds a file by its stored path, `<user id>/<stored name>`. */
  findByPath(userId: string, path: string): Promise<UserFileRecord | null>
  /** Display names of the user's files with this prefix. */
  names(userId: string, prefix: string): Promise<string[]>
  /** In insertion order. */
  list(userId: string): Promise<UserFileRecord[]>
  /**
   * The rows of `list` in parts of a bounded size, each read on demand. Without this method,
   * `list` is used.
   */
  parts?(userId: string): AsyncIterable<readonly UserFileRecord[]>
  /** @throws UniqueConflictError `userFile.id`, `userFile.name`, `userFile.path` */
  insert(record: UserFileRecord): Promise<void>
  /**
   * The changed record; null if the user has no such file.
   * @throws UniqueConflictError `userFile.name`
   */
  update(userId: string, id: string, patch: UserFilePatch): Promise<UserFileRecord | null>
  /** Returns the removed records, in insertion order. */
  remove(userId: string, ids: readonly string[]): Promise<UserFileRecord[]>
}
