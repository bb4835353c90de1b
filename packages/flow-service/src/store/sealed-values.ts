/** The kinds of records with encrypted values. */
export const SEALED_KINDS = ['variable', 'toolServer', 'project', 'collection', 'storeKey'] as const

export type SealedKind = (typeof SEALED_KINDS)[number]

/** An encrypted value of a record. */
export interface SealedValue {
  readonly kind: SealedKind
  /** Identifies the record among those of its kind; opaque. */
  readonly key: string
  readonly userId: string
  /** The record's name; of a store key the user's name. */
  readonly name: string
  /** As stored; of a project all its settings as JSON text. */
  readonly value: string
}

/** Records of one kind after `after`, at most `limit`. */
export interface SealedSlice {
  readonly kind: SealedKind
  /** The `key` of the last value seen; null: from the start. */
  readonly after: string | null
  readonly limit: number
}

/** All encrypted values, of all users, for changing the secret key. */
export interface SealedValueStore {
  /** In a fixed order; records that are added meanwhile come last. */
  list(slice: SealedSlice): Promise<SealedValue[]>
  /** Replaces the value; false if it is no longer this one, and nothing changes. */
  exchange(value: SealedValue, by: string): Promise<boolean>
}
