/** Bounds of one query, and the values it is given. */
export interface QueryLimits {
  readonly timeoutMs: number
  readonly rows: number
  /** Values of the placeholders. */
  readonly parameters: readonly unknown[]
  /** Ends the query. */
  readonly signal?: AbortSignal | undefined
}
