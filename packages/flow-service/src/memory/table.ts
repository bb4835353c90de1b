import { UniqueConflictError, type UniqueConstraint } from '@x/flow-engine/store'

/** Rows in insertion order, with unique keys and one level of undo. */
export interface Table<T> {
  get(id: string): T | undefined
  /** Looks up a row by a unique key. */
  find(constraint: UniqueConstraint, key: string): T | undefined
  filter(keep: (row: T) => boolean): T[]
  /** @throws UniqueConflictError */
  insert(row: T): void
  /**
   * Replaces the row with the same id, keeping its position.
   * @throws UniqueConflictError
   */
  replace(row: T): void
  delete(id: string): boolean
  /** Starts recording, so that `rollback` can undo everything from here on. */
  begin(): void
  commit(): void
  rollback(): void
}

/** Unique constraints of a table with the key of each row; a null key never conflicts. */
export type UniqueKeys<T> = readonly (readonly [
  constraint: UniqueConstraint,
  key: (row: T) => string | null,
])[]

/** Creates a table. The first unique key is the id. */
export function createTable<T>(
  id: (row: T) => string,
  idConstraint: UniqueConstraint,
  unique: UniqueKeys<T> = [],
): Table<T> {
  let rows = new Map<string, T>()
  let indexes = new Map<UniqueConstraint, Map<string, string>>(
    unique.map(([constraint]) => [constraint, new Map()]),
  )
  let undo: { rows: typeof rows; indexes: typeof indexes } | 'untouched' | undefined

  const beforeWrite = (): void => {
    if (undo !== 'untouched') return
    undo = { rows, indexes }
    rows = new Map(rows)
    indexes = new Map([...indexes].map(([name, index]) => [name, new Map(index)]))
  }
  const check = (row: T): void => {
    for (const [constraint, key] of unique) {
      const value = key(row)
      const holder = value === null ? undefined : indexes.get(constraint)?.get(value)
      if (holder !== undefined && holder !== id(row)) throw new UniqueConflictError(constraint)
    }
  }
  const index = (row: T, change: 'add' | 'drop'): void => {
    for (const [constraint, key] of unique) {
      const value = key(row)
      if (value === null) continue
      if (change === 'add') indexes.get(constraint)?.set(value, id(row))
      else indexes.get(constraint)?.delete(value)
    }
  }

  return {
    get: (key) => rows.get(key),
    find(constraint, key) {
      const holder = indexes.get(constraint)?.get(key)
      return holder === undefined ? undefined : rows.get(holder)
    },
    filter: (keep) => [...rows.values()].filter(keep),
    insert(row) {
      if (rows.has(id(row))) throw new UniqueConflictError(idConstraint)
      check(row)
      beforeWrite()
      rows.set(id(row), row)
      index(row, 'add')
    },
    replace(row) {
      const old = rows.get(id(row))
      if (old === undefined) return
      check(row)
      beforeWrite()
      index(old, 'drop')
      rows.set(id(row), row)
      index(row, 'add')
    },
    delete(key) {
      const old = rows.get(key)
      if (old === undefined) return false
      beforeWrite()
      index(old, 'drop')
      return rows.delete(key)
    },
    begin() {
      undo = 'untouched'
    },
    commit() {
      undo = undefined
    },
    rollback() {
      if (undo !== undefined && undo !== 'untouched') ({ rows, indexes } = undo)
      undo = undefined
    },
  }
}
