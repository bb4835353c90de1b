/** A stored project (also called a folder on the wire). */
export interface ProjectRecord {
  readonly id: string
  readonly userId: string
  /** Unique per user, compared exactly. */
  readonly name: string
  readonly description: string | null
  readonly parentId: string | null
  /** Arbitrary keys; secret values are encrypted. */
  readonly authSettings: Readonly<Record<string, unknown>> | null
  readonly createdAt: Date
}

/** Fields to change; absent means unchanged. */
export type ProjectPatch = Partial<Omit<ProjectRecord, 'id' | 'userId' | 'createdAt'>>

/** Projects. */
export interface ProjectStore {
  get(userId: string, id: string): Promise<ProjectRecord | null>
  /** A project of any user. */
  find(id: string): Promise<ProjectRecord | null>
  findByName(userId: string, name: string): Promise<ProjectRecord | null>
  /** In insertion order. */
  list(userId: string): Promise<ProjectRecord[]>
  /**
   * The same rows in parts of a bounded size, each read when it is asked for: the project named `first`, then
   * the others by name in code point order. Without this method, `list` is used.
   */
  parts?(userId: string, first: string): AsyncIterable<readonly ProjectRecord[]>
  /** Names of the user's projects with this prefix (no character is special). */
  names(userId: string, prefix: string): Promise<string[]>
  /** @throws UniqueConflictError `project.id`, `project.name` */
  insert(record: ProjectRecord): Promise<void>
  /**
   * The changed record; null if the user has no such project.
   * @throws UniqueConflictError `project.name`
   */
  update(userId: string, id: string, patch: ProjectPatch): Promise<ProjectRecord | null>
  /**
   * Removes the project and sets `parentId` of its children and `folderId` of its flows to null. False if the
   * user has no such project.
   */
  remove(userId: string, id: string): Promise<boolean>
}
