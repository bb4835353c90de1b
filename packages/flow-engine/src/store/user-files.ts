/** The record of a file of a user; its bytes lie in the blob store. */
export interface UserFileRecord {
  readonly id: string
  readonly userId: string
  /** Display name without extension. Unique for its user. */
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
  /** By the stored path, `<user id>/<stored name>`. */
  findByPath(userId: string, path: string): Promise<UserFileRecord | null>
  /** Display names of the user's files that begin with `prefix`. */
  names(userId: string, prefix: string): Promise<string[]>
  /** In order of insertion. */
  list(userId: string): Promise<UserFileRecord[]>
  /** @throws UniqueConflictError `userFile.id`, `userFile.name`, `userFile.path` */
  insert(record: UserFileRecord): Promise<void>
  /**
   * The changed record; null when the user has none of this id.
   * @throws UniqueConflictError `userFile.name`
   */
  update(userId: string, id: string, patch: UserFilePatch): Promise<UserFileRecord | null>
  /** Gives the records that were there, in order of insertion. */
  remove(userId: string, ids: readonly string[]): Promise<UserFileRecord[]>
}
