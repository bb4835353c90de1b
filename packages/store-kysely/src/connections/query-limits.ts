/** Bounds of one query. */
export interface QueryLimits {
  readonly timeoutMs: number
  readonly rows: number
  /** Ends the query. */
  readonly signal?: AbortSignal | undefined
}
