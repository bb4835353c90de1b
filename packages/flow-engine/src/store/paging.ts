/** A slice of a list. */
export interface Slice {
  /** Rows to pass over; 0 by default. */
  readonly offset?: number
  /** Rows at most; null or left out: all. */
  readonly limit?: number | null
}

/** A slice of a list and the length of the whole list. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly total: number
}
