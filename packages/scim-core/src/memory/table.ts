import { UniqueConflictError, type UniqueConstraint } from '../store/errors.ts'
import { compareCodePoints } from '../base/fold.ts'

/** Undo functions for the writes of a transaction, last write first. */
export type UndoLog = (() => void)[]

export interface StoredRecord {
  readonly id: string
  readonly externalId: string | null
  readonly created: Date
  readonly version: number
}

export interface TableOptions<R> {
  readonly constraint: UniqueConstraint
  /** The unique key; null if there is none. */
  readonly uniqueKey: (record: R) => string | null
  /** The key for `eq` on the name. */
  readonly nameKey: (record: R) => string
  /** Further keys that records are found by, such as folded e-mail addresses. Default: none. */
  readonly addressKeys?: (record: R) => readonly string[]
}

/** Records by id, with the indexes needed for lookups and uniqueness. */
export interface Table<R> {
  get(id: string): R | undefined
  /** By created, then id. */
  all(): readonly R[]
  named(key: string): readonly R[]
  withExternalId(externalId: string): readonly R[]
  withAddress(key: string): readonly R[]
  /** Inserts or replaces. @throws UniqueConflictError */
  put(record: R, undo: UndoLog): void
  delete(id: string, undo: UndoLog): void
}

export function createTable<R extends StoredRecord>(options: TableOptions<R>): Table<R> {
  const { constraint, uniqueKey, nameKey, addressKeys = () => [] } = options
  const records = new Map<string, R>()
  const unique = new Map<string, string>()
  const names = createIndex()
  const externalIds = createIndex()
  const addresses = createIndex()
  let order: string[] | null = null

  const unlink = (record: R): void => {
    records.delete(record.id)
    const key = uniqueKey(record)
    if (key !== null) unique.delete(key)
    names.remove(nameKey(record), record.id)
    if (record.externalId !== null) externalIds.remove(record.externalId, record.id)
    for (const address of addressKeys(record)) addresses.remove(address, record.id)
  }
  const link = (record: R): void => {
    records.set(record.id, record)
    const key = uniqueKey(record)
    if (key !== null) unique.set(key, record.id)
    names.add(nameKey(record), record.id)
    if (record.externalId !== null) externalIds.add(record.externalId, record.id)
    for (const address of addressKeys(record)) addresses.add(address, record.id)
  }
  const swap = (before: R | undefined, after: R | undefined): void => {
    if (before === undefined || after === undefined) order = null
    if (before !== undefined) unlink(before)
    if (after !== undefined) link(after)
  }
  const pick = (ids: Iterable<string>): R[] =>
    Array.from(ids, (id) => records.get(id)).filter((record) => record !== undefined)

  return {
    get: (id) => records.get(id),
    all() {
      order ??= [...records.values()].toSorted(byCreation).map(({ id }) => id)
      return pick(order)
    },
    named: (key) => pick(names.get(key)).toSorted(byCreation),
    withExternalId: (externalId) => pick(externalIds.get(externalId)).toSorted(byCreation),
    withAddress: (key) => pick(addresses.get(key)).toSorted(byCreation),
    put(record, undo) {
      const before = records.get(record.id)
      const key = uniqueKey(record)
      const holder = key === null ? undefined : unique.get(key)
      if (holder !== undefined && holder !== record.id) throw new UniqueConflictError(constraint)
      swap(before, record)
      undo.push(() => swap(record, before))
    },
    delete(id, undo) {
      const before = records.get(id)
      if (before === undefined) return
      swap(before, undefined)
      undo.push(() => swap(undefined, before))
    },
  }
}

/** The default order of lists: created, then id. */
export function byCreation(a: StoredRecord, b: StoredRecord): number {
  return a.created.getTime() - b.created.getTime() || compareCodePoints(a.id, b.id)
}

interface Index {
  get(key: string): Iterable<string>
  add(key: string, id: string): void
  remove(key: string, id: string): void
}

function createIndex(): Index {
  const ids = new Map<string, Set<string>>()
  return {
    get: (key) => ids.get(key) ?? [],
    add(key, id) {
      const set = ids.get(key)
      if (set === undefined) ids.set(key, new Set([id]))
      else set.add(id)
    },
    remove(key, id) {
      const set = ids.get(key)
      set?.delete(id)
      if (set?.size === 0) ids.delete(key)
    },
  }
}
