/** A slice of a list. */
export interface Slice {
  /** Rows to skip. Default 0. */
  readonly offset?: number
  /** Maximum number of rows. Default null: all. */
  readonly limit?: number | null
}

/** A slice of a list and the length of the whole list. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly total: number
}
