/** A stored project (on the wire also called folder). */
export interface ProjectRecord {
  readonly id: string
  readonly userId: string
  /** Unique for its user, compared exactly. */
  readonly name: string
  readonly description: string | null
  readonly parentId: string | null
  /** Free keys; the secret ones are sealed. */
  readonly authSettings: Readonly<Record<string, unknown>> | null
  readonly createdAt: Date
}

/** Fields to change; absent means unchanged. */
export type ProjectPatch = Partial<Omit<ProjectRecord, 'id' | 'userId' | 'createdAt'>>

/** Projects. */
export interface ProjectStore {
  get(userId: string, id: string): Promise<ProjectRecord | null>
  /** The project of any user. */
  find(id: string): Promise<ProjectRecord | null>
  findByName(userId: string, name: string): Promise<ProjectRecord | null>
  /** In order of insertion. */
  list(userId: string): Promise<ProjectRecord[]>
  /** Names of the user's projects that begin with `prefix` (no character is special). */
  names(userId: string, prefix: string): Promise<string[]>
  /** @throws UniqueConflictError `project.id`, `project.name` */
  insert(record: ProjectRecord): Promise<void>
  /**
   * The changed record; null when the user has none of this id.
   * @throws UniqueConflictError `project.name`
   */
  update(userId: string, id: string, patch: ProjectPatch): Promise<ProjectRecord | null>
  /**
   * Removes the project; `parentId` of its children and `folderId` of flows still in it become
   * null. False when the user has none of this id.
   */
  remove(userId: string, id: string): Promise<boolean>
}
