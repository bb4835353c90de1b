/** A stored variable. */
export interface VariableRecord {
  readonly id: string
  readonly userId: string
  /** Unique per user, compared exactly. */
  readonly name: string
  /** `Credential`, `Generic` or any other string. */
  readonly type: string
  /** Encrypted, see SecretBox. */
  readonly value: string
  readonly defaultFields: readonly string[] | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Fields to change; absent means unchanged. */
export type VariablePatch = Partial<
  Pick<VariableRecord, 'name' | 'value' | 'defaultFields' | 'updatedAt'>
>

/** Variables. */
export interface VariableStore {
  get(userId: string, id: string): Promise<VariableRecord | null>
  findByName(userId: string, name: string): Promise<VariableRecord | null>
  /** In insertion order. */
  list(userId: string): Promise<VariableRecord[]>
  /**
   * The rows of `list` in parts of a bounded size, each read on demand. Without this method,
   * `list` is used.
   */
  parts?(userId: string): AsyncIterable<readonly VariableRecord[]>
  /** @throws UniqueConflictError `variable.id`, `variable.name` */
  insert(record: VariableRecord): Promise<void>
  /**
   * The changed record; null if the user has no such variable.
   * @throws UniqueConflictError `variable.name`
   */
  update(userId: string, id: string, patch: VariablePatch): Promise<VariableRecord | null>
  /** False if the user has no such variable. */
  remove(userId: string, id: string): Promise<boolean>
}
