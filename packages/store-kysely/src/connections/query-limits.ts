/** Limits and parameters of one query. */
export interface QueryLimits {
  readonly timeoutMs: number
  readonly rows: number
  /** Values of the placeholders. */
  readonly parameters: readonly unknown[]
  /** Cancels the query. */
  readonly signal?: AbortSignal | undefined
}
